import type * as v from "valibot";
import type { change, listChanges } from "../../contract/changes.ts";
import type { Query } from "../../contract/operation.ts";
import type { Scope } from "../../domain/caller.ts";
import type { FoundPlace } from "../../domain/paging/encrypted-cursor.ts";

type Shown = v.InferInput<typeof change>;
export function selectionOf(query: Query<typeof listChanges>) {
  return query;
}
export async function findChanges(
  _s: unknown,
  _scope: Scope,
  _start: { below: string | undefined; limit: number },
): Promise<FoundPlace<Shown>> {
  return { items: [], next: undefined };
}
