/** Every reason the service refuses a request for. Stable: clients branch on them (D31). */
export type RefusalCode =
  | "malformed_json"
  | "body_object_missing"
  | "token_missing"
  | "token_invalid"
  | "token_expired"
  | "login_invalid"
  | "refresh_token_invalid"
  | "role_not_allowed"
  | "company_required"
  | "route_not_found"
  | "method_not_allowed"
  | "records_not_found"
  | "login_not_found"
  | "body_too_large"
  | "query_too_long"
  | "media_type_not_supported"
  | "request_in_progress"
  | "idempotency_key_reused"
  | "fields_invalid"
  | "country_not_served"
  | "pin_invalid"
  | "reset_token_invalid"
  | "passcode_invalid"
  | "passcode_locked"
  | "too_many_requests"
  | "cursor_invalid"
  | "page_too_deep"
  | "query_too_broad"
  | "busy";

/** One field that was refused: `pointer` into the body (RFC 6901), or name of the query `parameter` or `header`. */
export interface FieldRefusal {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: string;
  readonly detail: string;
}

/** What a refusal may tell beside its code. `retryAfterSeconds` is in seconds. */
export interface RefusalFacts {
  readonly errors?: readonly FieldRefusal[];
  readonly missingIds?: readonly number[];
  readonly allowedMethods?: readonly string[];
  readonly retryAfterSeconds?: number;
}

/** The one error for a request that is understood and refused; anything else thrown is a fault. */
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

/** The refusal of a path that no operation has, or one that the stage closes. */
export function routeNotFound(): Refusal {
  return new Refusal("route_not_found", "The service has no such path");
}
