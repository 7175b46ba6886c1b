import { isByCursor, type Operation, roles } from "../../shared/contract/operation.ts";
import type { RefusalCode } from "../../shared/contract/refusals.ts";

const ofSignedIn: readonly RefusalCode[] = ["token_missing", "token_invalid", "token_expired"];
const ofBody: readonly RefusalCode[] = ["media_type_not_supported", "malformed_json", "body_object_missing"];
const ofRepetition: readonly RefusalCode[] = ["idempotency_key_reused"];

const ofEach: readonly RefusalCode[] = ["body_too_large", "query_too_long", "unknown_parameter", "busy"];

/** The codes of nearly every operation, which say nothing of a single one. */
export const sharedRefusals: readonly RefusalCode[] = [...ofEach, ...ofSignedIn, ...ofBody];

/** Every code that an operation refuses with: those that follow from its shape, and those in its entry (D31). */
export function refusalsOf(operation: Operation): RefusalCode[] {
  const { access, companyBound, keys, query, parameters, body, list, idempotent, refusals = [] } = operation;
  const codes = new Set<RefusalCode>(ofEach);
  const add = (applies: unknown, more: readonly RefusalCode[]) => {
    if (applies) for (const code of more) codes.add(code);
  };
  add(access !== "anyone", ofSignedIn);
  add(access !== "anyone" && access.length < roles.length, ["role_not_allowed"]);
  add(companyBound, ["company_required"]);
  add(access !== "anyone" && keys !== "read", ["key_not_allowed"]);
  add(body, ofBody);
  // A malformed record id is refused like an unknown one (D39).
  const refusesParameters = parameters && !refusals.includes("record_not_found");
  add(body || query || refusesParameters || idempotent, ["fields_invalid"]);
  add(query && list, ["cursor_invalid"]);
  add(query && list && !isByCursor(operation), ["page_too_deep"]);
  add(idempotent, ofRepetition);
  add(true, refusals);
  return [...codes];
}
