import type * as v from "valibot";

/** Every code of a refusal, with status and title. Codes are stable because clients branch on them (D31). */
export const refusalCodes = {
  malformed_json: { status: 400, title: "Malformed JSON" },
  body_object_missing: { status: 400, title: "Body object missing" },
  token_missing: { status: 401, title: "Access token missing" },
  token_invalid: { status: 401, title: "Access token invalid" },
  token_expired: { status: 401, title: "Access token expired" },
  login_invalid: { status: 401, title: "Login invalid" },
  refresh_token_invalid: { status: 401, title: "Refresh token invalid" },
  passcode_invalid: { status: 403, title: "Passcode invalid" },
  password_invalid: { status: 403, title: "Password invalid" },
  key_not_allowed: { status: 403, title: "Key not allowed" },
  role_not_allowed: { status: 403, title: "Role not allowed" },
  company_required: { status: 403, title: "Company required" },
  route_not_found: { status: 404, title: "Path not found" },
  record_not_found: { status: 404, title: "Record not found" },
  records_not_found: { status: 404, title: "Records not found" },
  login_not_found: { status: 404, title: "Login not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  changed_since: { status: 409, title: "Changed since" },
  change_undone: { status: 409, title: "Change undone" },
  change_expired: { status: 409, title: "Change expired" },
  body_too_large: { status: 413, title: "Body too large" },
  query_too_long: { status: 414, title: "Query too long" },
  media_type_not_supported: { status: 415, title: "Media type not supported" },
  fields_invalid: { status: 422, title: "Fields invalid" },
  unknown_parameter: { status: 422, title: "Unknown parameter" },
  idempotency_key_reused: { status: 422, title: "Idempotency key reused" },
  country_not_served: { status: 422, title: "Country not served" },
  pin_invalid: { status: 422, title: "Pin invalid" },
  reset_token_invalid: { status: 422, title: "Reset token invalid" },
  cursor_invalid: { status: 422, title: "Cursor invalid" },
  page_too_deep: { status: 422, title: "Page too deep" },
  query_too_broad: { status: 422, title: "Query too broad" },
  passcode_locked: { status: 429, title: "Passcode locked" },
  too_many_requests: { status: 429, title: "Too many requests" },
  busy: { status: 503, title: "Busy" },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly title: string }>>;

/** The code of a refusal. */
export type RefusalCode = keyof typeof refusalCodes;

/** The only name of a fault of the service. Its problem document says nothing more (D31). */
export const internalError = { code: "internal_error", status: 500, title: "Internal error" } as const;

/** Any code of a problem document. */
export type ProblemCode = RefusalCode | typeof internalError.code;

/** Say what is wrong with a field of a request, for clients to act on. */
export const fieldCodes = [
  "missing",
  "wrong_type",
  "not_allowed",
  "out_of_range",
  "too_short",
  "too_long",
  "too_broad",
  "invalid",
  "required",
  "unknown",
  "common",
  "taken",
] as const;

/** Say the same of import lines and events. */
export type FieldCode =
  | (typeof fieldCodes)[number]
  | "unknown_field"
  | "line_too_long"
  | "malformed_json"
  | "invalid_utf8";

/** One field that failed its schema: its path, a stable code, and a sentence without the value, which an answer may add (D31). */
export interface FieldFault {
  readonly path: readonly string[];
  readonly code: FieldCode;
  readonly detail: string;
}

/** Most faults of a body in an answer, which stays small whatever is sent. */
export const maxFaults = 20;

/** The faults in a schema's issues, at most 20. */
export function fieldFaults(issues: readonly v.BaseIssue<unknown>[]): FieldFault[] {
  return issues.slice(0, maxFaults).map((issue) => ({
    path: issue.path?.map(({ key }) => String(key)) ?? [],
    ...explain(issue),
  }));
}

/** Names that no object has, at any depth of a body, line, event, map or item: libraries are misled by them, or lose them (D33). */
export const forbiddenNames: readonly string[] = ["__proto__", "constructor", "prototype"];

interface Place {
  readonly value: unknown;
  readonly name?: string;
  readonly within?: Place;
}

/** The faults of the forbidden names in a JSON value of any depth, outer ones first, at most 20. */
export function forbiddenKeys(value: unknown): FieldFault[] {
  const faults: FieldFault[] = [];
  const places: Place[] = [{ value }];
  // The list grows while it is walked: a recursion would end at some thousand levels.
  for (const within of places) {
    if (typeof within.value !== "object" || within.value === null) continue;
    for (const [name, inner] of within.value instanceof Map ? within.value : Object.entries(within.value)) {
      const place = { value: inner, name, within };
      places.push(place);
      if (!forbiddenNames.includes(name)) continue;
      faults.push({ path: pathOf(place), code: "not_allowed", detail: "is a name that no field may have" });
      if (faults.length === maxFaults) return faults;
    }
  }
  return faults;
}

function pathOf(found: Place): string[] {
  const path: string[] = [];
  for (let place: Place | undefined = found; place?.name !== undefined; place = place.within) path.push(place.name);
  return path.toReversed();
}

/** A JSON pointer (RFC 6901) to a field. */
export function pointerTo(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function explain(issue: v.BaseIssue<unknown>): Pick<FieldFault, "code" | "detail"> {
  if (issue.received === "undefined") return { code: "missing", detail: "is required" };
  const limit = String(issue.requirement);
  switch (issue.type) {
    case "integer":
    case "safe_integer":
      return { code: "wrong_type", detail: "must be a whole number below 2^53" };
    case "min_value":
      return { code: "out_of_range", detail: `must be at least ${limit}` };
    case "max_value":
      return { code: "out_of_range", detail: `must be at most ${limit}` };
    case "min_length":
      return { code: "too_short", detail: `must have at least ${lengthOf(issue)}` };
    case "max_length":
      return { code: "too_long", detail: `must have at most ${lengthOf(issue)}` };
    case "picklist":
      return {
        code: "not_allowed",
        detail: `must be one of ${issue.expected?.replace(/[()"]/g, "").replaceAll(" | ", ", ")}`,
      };
    case "strict_object":
      if (issue.expected !== "never") return { code: "wrong_type", detail: "must be an object" };
      return { code: "unknown_field", detail: "is not a field of this record" };
    case "check":
    case "regex":
    case "partial_check":
    case "raw_check":
      return { code: "invalid", detail: issue.message };
    default:
      return { code: "wrong_type", detail: `must be ${expectedType(issue.expected)}` };
  }
}

/** A limit of a length with its unit, such as "1 item" or "64 characters". */
function lengthOf({ input, requirement }: v.BaseIssue<unknown>): string {
  const unit = Array.isArray(input) ? "item" : "character";
  return `${requirement} ${unit}${requirement === 1 ? "" : "s"}`;
}

function expectedType(expected: string | null): string {
  const names: Record<string, string> = {
    Array: "an array",
    Object: "an object",
    string: "a string",
    number: "a number",
  };
  const given = expected ?? "of another type";
  return names[given] ?? given.replace(/[()]/g, "").replaceAll(" | ", " or ");
}

/** One refused field: `pointer` into the body (RFC 6901), or name of the query `parameter` or `header`. */
export interface FieldRefusal {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: FieldCode;
  readonly detail: string;
}

/** The facts of a refusal besides its code. `retryAfterSeconds` is in seconds. */
export interface RefusalFacts {
  readonly errors?: readonly FieldRefusal[];
  readonly changedIds?: readonly number[];
  readonly missingIds?: readonly number[];
  readonly allowedMethods?: readonly string[];
  readonly retryAfterSeconds?: number;
  /** The name of the error that it follows from, for the log. */
  readonly cause?: string;
}

/** The one error for a request that is understood and refused. Any other error is a fault. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly facts: RefusalFacts;

  constructor(code: RefusalCode, detail: string, facts: RefusalFacts = {}) {
    super(detail);
    this.name = "Refusal";
    this.code = code;
    this.facts = facts;
  }
}

/** Others' transactions end within a second, and a throttle lasts little longer. */
const busySeconds = 1;

/** The refusal of what others keep from being done at this moment: the same request succeeds later (D18). */
export function busy(detail: string, cause?: string): Refusal {
  return new Refusal("busy", detail, { retryAfterSeconds: busySeconds, ...(cause && { cause }) });
}

/** The refusal of a path that no operation has, or that the stage closes. `meant` is a path that one has. */
export function routeNotFound(meant?: string): Refusal {
  return new Refusal("route_not_found", meant ? `Not found: a slash is too many, the path is ${meant}` : "Not found");
}

/** The refusal of a method that a path does not take. */
export function methodNotAllowed(method: string, allowedMethods: readonly string[]): Refusal {
  return new Refusal("method_not_allowed", `Method ${method} is not allowed for this path`, { allowedMethods });
}
/** The refusal of a record with invalid fields, each with a JSON pointer into the line, a code and a detail. */

export function fieldsInvalid(faults: readonly FieldFault[]): Refusal {
  const errors = faults.map(({ path, ...fault }) => ({ pointer: pointerTo(path), ...fault }));
  return new Refusal("fields_invalid", `Invalid: ${errors.map(({ pointer }) => pointer).join(", ")}`, { errors });
}
