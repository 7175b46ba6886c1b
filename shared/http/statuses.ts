import type { RefusalCode } from "../domain/refusal.ts";

/** The status and title of every refusal. A code without a row does not compile (D31). */
export const statuses: Readonly<Record<RefusalCode, { readonly status: number; readonly title: string }>> = {
  malformed_json: { status: 400, title: "Malformed JSON" },
  body_object_missing: { status: 400, title: "Body object missing" },
  token_missing: { status: 401, title: "Access token missing" },
  token_invalid: { status: 401, title: "Access token invalid" },
  token_expired: { status: 401, title: "Access token expired" },
  role_not_allowed: { status: 403, title: "Role not allowed" },
  company_required: { status: 403, title: "Company required" },
  route_not_found: { status: 404, title: "Path not found" },
  records_not_found: { status: 404, title: "Records not found" },
  login_not_found: { status: 404, title: "Login not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  body_too_large: { status: 413, title: "Body too large" },
  query_too_long: { status: 414, title: "Query too long" },
  media_type_not_supported: { status: 415, title: "Media type not supported" },
  fields_invalid: { status: 422, title: "Fields invalid" },
  country_not_served: { status: 422, title: "Country not served" },
  pin_invalid: { status: 422, title: "Pin invalid" },
  cursor_invalid: { status: 422, title: "Cursor invalid" },
  page_too_deep: { status: 422, title: "Page too deep" },
  query_too_broad: { status: 422, title: "Query too broad" },
  busy: { status: 503, title: "Busy" },
};
