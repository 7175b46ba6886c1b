import type { StampedChange } from "./change-stamps.ts";
import type { Item } from "./item-keys.ts";

/** The item that stays in the place of a removed record. Reads leave it out unless they ask for it. */
export interface Tombstone {
  readonly revision: number;
  /** The version at which the record was removed (D35). */
  readonly version?: number | undefined;
  /** The moment of the removal, ISO 8601 in UTC. An import may have begun hours before. */
  readonly removed_at: string;
  /** The change that removed the record, if it has a history. */
  readonly change?: StampedChange | undefined;
  /** That of an erased person does not expire. */
  readonly expires_at?: number | undefined;
}

/** The attribute that only tombstones have. Each read of some attributes names it. */
export const tombstoneMark = "removed_at";

/** True for a tombstone. */
export function isTombstone(item: object): item is Tombstone {
  return tombstoneMark in item;
}

/** The item, unless it is a tombstone. */
export function liveItem(item: Item | undefined): Item | undefined {
  return item && !isTombstone(item) ? item : undefined;
}
