import { listChanges } from "../../shared/contract/changes.ts";
import { findChanges, selectionOf } from "../../shared/db/history/find-changes.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { readByCursor } from "../../shared/domain/paging/encrypted-cursor.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { hmacKey } from "../../shared/secrets.ts";

/** Lists the changes that the caller may see, newest first; one filter at a time (D41). */
export const handler = authenticated(listChanges, async ({ query, caller }) => {
  const scope = requireScope(caller);
  return readByCursor(listChanges, query, { reach: scope, key: await hmacKey() }, (below, limit) =>
    findChanges(selectionOf(query), scope, { below, limit }),
  );
});
