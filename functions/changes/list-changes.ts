import { listChanges } from "../../shared/contract/changes.ts";
import { requireScope } from "../../shared/contract/operation.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { hmacKey } from "../../shared/tokens/secrets.ts";
import { readByCursor } from "./encrypted-cursor.ts";
import { findChanges } from "./find-changes.ts";

/** Lists the changes visible to the caller, newest first, with one filter at a time (D41). */
export const handler = authenticated(listChanges, async ({ query, caller, now }) => {
  const scope = requireScope(caller);
  return readByCursor(listChanges, query, { reach: scope, key: await hmacKey() }, (after, limit) =>
    findChanges(query, scope, { after, limit, now }),
  );
});
