import type { ProblemCode } from "../../../shared/contract/refusals.ts";
import { fieldCodes } from "../../../shared/contract/refusals.ts";
import type { FieldTexts } from "./text.ts";

/** The cause and remedy of each code of a problem document. */
export const codeTexts: Readonly<Record<ProblemCode, string>> = {
  malformed_json: "The body cannot be parsed as JSON. Check that its bytes are UTF-8, and its quotes.",
  body_object_missing: 'The outer object is not there, such as `user` in `{"user": {…}}`; `errors` names it.',
  token_missing: "No `Authorization` header came with the request. Sign in, and send the access token.",
  token_invalid:
    "The access token or API key was not issued for this service, its session or the key has ended, or its user is gone or another. Sign in again.",
  token_expired: "The access token's 15 minutes are over. Renew it with the refresh token and repeat the request.",
  login_invalid: "Login and password do not belong together. Whether the login exists is not said.",
  refresh_token_invalid:
    "The refresh token was used already, has expired or was never issued. The user has to sign in with the password.",
  passcode_invalid:
    "A payment passcode is set for you, and the one sent is absent or not it. Nothing was changed; ask for it again.",
  password_invalid:
    "The password is not yours. The session goes on; ten wrong ones of a session on a day (UTC) are answered, then 429.",
  key_not_allowed:
    "The API key is valid, but may not do this; `detail` says what it lacks: the access `act`, a passcode, or a session of a person.",
  role_not_allowed: "Your role may not call this operation, with whatever parameters. Hide it in your interface.",
  company_required: "Operators and clients act for a company, and yours has none. An import has to assign one.",
  route_not_found:
    "Nothing is served under this path on this stage. Look for a typing mistake; where a slash is too many, `detail` names the path.",
  record_not_found:
    "There is no record with this id that you may see: it never existed, was removed, or is another company's.",
  records_not_found:
    "At least one id of the bulk request does not exist, so that nothing was changed. Drop those in `missing_ids` and repeat.",
  login_not_found: "Nobody has this e-mail address or phone number. Only stages that disclose logins ever say so.",
  method_not_allowed: "The path exists, but not for this method. The header `Allow` lists the ones that it takes.",
  changed_since:
    "Records of the change were written since, by whomever, so that nothing was put back. `changed_ids` names them.",
  change_undone: "The change was undone before. To have it back, undo the change that undid it.",
  change_expired: "The change was made more than 24 hours ago. Make a new one the other way round.",
  body_too_large: "The body has more than 256 KiB. Split a bulk change into several.",
  query_too_long: "The query string has more than 4 KiB. Look for a filter that is repeated.",
  media_type_not_supported:
    "The content type is none of JSON in UTF-8, or the body is compressed. Send `Content-Type: application/json` and no `Content-Encoding`.",
  fields_invalid:
    "Something in body, path or query has the wrong form. `errors` has an entry for each field, up to 20.",
  unknown_parameter:
    "The query has a parameter that this operation does not take; `detail` proposes the most similar one. Nothing was filtered by it.",
  idempotency_key_reused:
    "You sent this Idempotency-Key before, with other fields or in another role. Make up a new one for a new change.",
  country_not_served:
    "Messages are not sent to numbers of this country or kind, such as landlines and premium numbers; `detail` says which of both. Use an e-mail address.",
  pin_invalid:
    "The pin is wrong, spent, older than 12 minutes or used up by tries; which of them stays secret. Have a new one sent.",
  reset_token_invalid:
    "The reset token has been spent, was replaced by a newer one, or is older than 15 minutes. Confirm a new pin.",
  cursor_invalid: "The cursor belongs to another list or to other filters. Start again at the first page.",
  page_too_deep:
    'Page numbers reach the first 1,000 items only, and this list has more. Follow `rel="next"` from there.',
  query_too_broad:
    "More than 10,000 invoices, or 1,000 with a state, match the search by number and the other filters leave more than 10,000, or the dates of all companies or of a driver are too many. Ask for more of the number, a shorter range or one company.",
  passcode_locked:
    "Too many wrong passcodes. Wait for `Retry-After`; after 100 wrong ones in a row the support of the service has to unlock it first, or set another one.",
  too_many_requests:
    "A limit on passwords or registrations is reached: of this login, of your network address, or of what you proved. Wait for `Retry-After`, or sign in with a pin.",
  busy: "Others are changing the same records at this moment, the records of all companies are being counted, or the table or a queue takes no more. Repeat the same request shortly.",
  internal_error: "A fault of the service, which alarms its operators. Try once more, then report the `request_id`.",
};

/** The text of a status, which is the same for all its codes. */
export const statusTexts: Readonly<Record<number, string>> = {
  400: "The body is not a JSON document of the expected outline.",
  401: "The caller could not be identified.",
  403: "The caller is known, and may not do this.",
  404: "The requested record or path does not exist.",
  409: "It conflicts with the stored records, or with a request under way.",
  413: "The request is larger than the service reads.",
  414: "The address is longer than the service reads.",
  415: "The body is of a kind that the service cannot read.",
  422: "The request is readable, but its content cannot be accepted.",
  429: "A limit is reached.",
  500: "The service failed.",
  503: "The service cannot take this on right now.",
};

/** Added to the statuses that API Gateway also answers by itself. */
export const gatewayText =
  "The gateway in front of the service may answer this itself under load, with a bare `message` and no code.";

/** The document's text for a problem document. */
export const problemText = "Why a request was refused (RFC 9457). Programs look at `code`, people read `detail`.";

/** The texts of its members. */
export const problemTexts = {
  type: ["URN of the kind of problem: `urn:workforce:problem:` and the code.", "urn:workforce:problem:fields_invalid"],
  title: ["Short English name of the kind, the same for every occurrence.", "Fields invalid"],
  status: ["The HTTP status once more, for logs that keep bodies only.", 422],
  detail: [
    "The reason for this refusal, in English. It never repeats a secret, and a 5xx has none.",
    "Invalid: /timesheet/state",
  ],
  instance: ["Path that was requested, without its query.", "/api/v1/finance/timesheets/bulk_update"],
  code: ["Stable code of the refusal: branch on it.", "fields_invalid"],
  request_id: [
    "Id of the request, as in the header `x-request-id`. Include it when you ask for support.",
    "JKJaXmPLvHcESHA=",
  ],
  errors: ["With `fields_invalid` and its like: what is wrong with which field."],
  changed_ids: ["With `changed_since`: the records that are no longer as the change left them.", [42]],
  missing_ids: ["With `records_not_found`: the ids that are at fault.", [4711]],
} as const satisfies FieldTexts<Record<string, unknown>>;

/** The document's text for all codes together. */
export const problemCodeText = [
  "All codes of this release. Later ones may have more, so have a branch for the rest.",
  "busy",
] as const;

/** The document's text for a fault of one field. */
export const fieldFaultText =
  "One field that was not accepted. It has one of `pointer`, `parameter` and `header`, unless the name itself may be a secret.";

/** The texts of its members. */
export const fieldFaultTexts = {
  pointer: ["The place in the body, as a JSON Pointer (RFC 6901).", "/timesheet/state"],
  parameter: ["Name of the parameter of the path or the query string, as it was sent.", "from_date"],
  header: ["Name of the request header.", "Idempotency-Key"],
  code: [`One of ${fieldCodes.map((code) => `\`${code}\``).join(", ")}; more may come.`, "not_allowed"],
  detail: [
    "Continues a sentence that begins with the field's name, and says what would do. It ends with the value only of an id, a date, a state or a page.",
    'must be one of paid, pending, not "payed"',
  ],
} as const satisfies FieldTexts<Record<string, unknown>>;

/** The document's text for an answer of the gateway itself. */
export const gatewayMessageText = "An answer of API Gateway itself, before any function of the service ran.";

/** The text of its only member. */
export const gatewayMessageTexts = {
  message: ["Reason in the gateway's words, which change without notice.", "Service Unavailable"],
} as const satisfies FieldTexts<Record<string, unknown>>;
