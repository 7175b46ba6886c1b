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
