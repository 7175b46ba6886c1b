import type { ChangeStamp } from "./change-stamps.ts";
import { getItem, type Item, type Key } from "./table.ts";

/**
 * Leads an item from one version to the next. Gives a new item, keeps the fields that it does not know, and leaves alone
 * what is in the new form already: code of both versions writes the same item while a deploy runs.
 */
export type Upgrade = (item: Item) => Item;

/** A kind of stored item: the one place that knows its shape. `Stored` is the item as the newest version has it. */
export interface Entity<Stored extends object> {
  readonly name: string;
  /** The newest version, which is the one that is written. */
  readonly version: number;
  /** True for the key of an item of this entity. */
  readonly matches: (key: Key) => boolean;
  /**
   * An item as read, brought to the newest version; what is of the newest already, or of a newer one, is given as it is,
   * unchecked. Fields that this code does not know stay.
   */
  decode(item: Item): Stored;
  /** Reads one item; `consistent` costs twice the read units. */
  find(key: Key, options?: { readonly consistent?: boolean }): Promise<Stored | undefined>;
  /** An item to be stored, with its version; one that was read in a newer version keeps that. */
  encode(value: Stored): Item;
}

/** What any stored item may carry beside the attributes of its entity. */
export interface StoredItem extends Key {
  /** The version of its entity that it was written in. */
  readonly schema_version?: number;
  /** Names the last write where that was one by itself: its repetition is recognised by it. */
  readonly write_id?: string | undefined;
}

/** What an item carries that is written by revisions. */
export interface RecordItem extends StoredItem, ChangeStamp {
  /** Goes up with every write. */
  readonly revision: number;
  /** The version of the record in the system it comes from (D35). */
  readonly version?: number | undefined;
  /** True where nobody is notified of the last write. */
  readonly silent?: boolean | undefined;
  /** The user whose doing the last write is. */
  readonly changed_by?: number | undefined;
}

/**
 * What an update adds to its SET clause. An update leaves most of an item as it is, so that the item keeps its version: a
 * newer one would be wrong for what was not written. What the update makes has the first.
 */
export const versionClause = "schema_version = if_not_exists(schema_version, :schema_version)";

/** The value that `versionClause` goes with. */
export const versionValue = { ":schema_version": 1 } as const;

/** Declares an entity by the keys that it matches. The first of its upgrades leads from version 1 to version 2. */
export function defineEntity<Stored extends object>(
  name: string,
  matches: (key: Key) => boolean,
  upgrades: readonly Upgrade[] = [],
): Entity<Stored> {
  const version = upgrades.length + 1;
  return {
    name,
    version,
    matches,
    decode,
    async find(key, options) {
      const item = await getItem(key, options);
      return item && decode(item);
    },
    encode: (value) => ({ ...(value as Item), schema_version: Math.max(version, versionOf(value as Item)) }),
  };

  function decode(item: Item): Stored {
    return (item.schema_version === version ? item : upgrade(item)) as Stored;
  }

  function upgrade(item: Item): Item {
    const found = versionOf(item);
    if (found >= version) return item;
    const newest = upgrades.slice(found - 1).reduce((older, step) => step(older), item);
    return { ...newest, schema_version: version };
  }
}

/** The version that an item was written in. */
function versionOf({ schema_version }: Item): number {
  return typeof schema_version === "number" ? schema_version : 1;
}
