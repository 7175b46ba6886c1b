import type { Entity } from "./entity.ts";
import { getItem, type Key } from "./table.ts";

/** Reads one item as its entity knows it; `consistent` costs twice the read units. */
export async function findStored<Stored extends object>(
  entity: Entity<Stored>,
  key: Key,
  options: { readonly consistent?: boolean } = {},
): Promise<Stored | undefined> {
  const item = await getItem(key, options);
  return item && entity.decode(item);
}
