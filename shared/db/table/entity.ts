import type { ChangeStamp } from "./change-stamps.ts";
import type { Item, Key } from "./item-keys.ts";
import { getItem } from "./table.ts";

/** The newest version of an entity's items. */
export interface NewestShape {
  readonly version: number;
  /** Makes a new item of an older one. It keeps the fields that it does not know. */
  upgrade(item: Item): Item;
}

/** A kind of stored item. No other code knows its shape. `Stored` is the item in the newest version. */
export interface Entity<Stored extends object> {
  readonly name: string;
  /** The newest version. Writes use it. */
  readonly version: number;
  /** True for the key of an item of this entity. */
  readonly matches: (key: Key) => boolean;
  /**
   * Upgrades an item that was read to the newest version. Items of the newest or a newer version are returned as they
   * are, unchecked. Unknown fields stay.
   */
  decode(item: Item): Stored;
  /** Reads one item; `consistent` costs twice the read units. */
  find(key: Key, options?: { readonly consistent?: boolean }): Promise<Stored | undefined>;
  /** Prepares an item for storing, with its version. An item that was read in a newer version keeps that version. */
  encode(value: Stored): Stored & Item;
}

/** Attributes that any stored item may have in addition to those of its entity. */
export interface StoredItem extends Key {
  /** The version of the entity that wrote the item. */
  readonly schema_version?: number;
  /** Identifies the last write if that was a single write, so that its repetition is recognised. */
  readonly write_id?: string | undefined;
}

/** Attributes of an item that is written by revisions. */
export interface RecordItem extends StoredItem, ChangeStamp {
  /** Increases with every write. */
  readonly revision: number;
  /** The version of the record in the system that it comes from (D35). */
  readonly version?: number | undefined;
  /** True if nobody is notified of the last write. */
  readonly silent?: boolean | undefined;
  /** The user who caused the last write. */
  readonly changed_by?: number | undefined;
  /** The moment at which the record of before was removed, if this one was made in its place. */
  readonly removed_before?: string | undefined;
}

/**
 * The version in an update's SET clause. An update keeps the version of an existing item, because it leaves most of the
 * item as it is, and a newer version would be wrong for the rest. A new item gets version 1.
 */
export const versionClause = "schema_version = if_not_exists(schema_version, :schema_version)";

/** The value for `versionClause`. */
export const versionValue = { ":schema_version": 1 } as const;

const firstShape: NewestShape = { version: 1, upgrade: (item) => item };

/** Declares an entity by the keys that it matches. */
export function defineEntity<Stored extends object>(
  name: string,
  matches: (key: Key) => boolean,
  { version, upgrade }: NewestShape = firstShape,
): Entity<Stored> {
  return {
    name,
    version,
    matches,
    decode,
    async find(key, options) {
      const item = await getItem(key, options);
      return item && decode(item);
    },
    encode: (value) => ({ ...value, schema_version: Math.max(version, versionOf(value as Item)) }),
  };

  function decode(item: Item): Stored {
    if (versionOf(item) >= version) return item as Stored;
    return { ...upgrade(item), schema_version: version } as unknown as Stored;
  }
}

/** The version that an item was written in. */
function versionOf({ schema_version }: Item): number {
  return typeof schema_version === "number" ? schema_version : 1;
}
