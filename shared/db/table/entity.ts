import type { ChangeStamp } from "./change-stamps.ts";
import { publicNameOf } from "./keys.ts";
import { getItem, type Item, type Key } from "./table.ts";
import type { TransactionWrite } from "./transaction.ts";

/**
 * Leads an item from one version to the next. Gives a new item, keeps the fields that it does not know, and leaves alone
 * what is in the new form already: code of both versions writes the same item while a deploy runs.
 */
export type Upgrade = (item: Item) => Item;

/** An item without what has its place in others, and the writes that bring it there in one transaction with the item's own. */
export interface SplitItem {
  readonly item: Item;
  readonly others: readonly TransactionWrite[];
}

/** What an entity may say beside its name and its keys. */
interface EntityOptions {
  /**
   * The way to the newest version, one step a version: the first leads from version 0, what release 0.1 wrote without a
   * version, to version 1. Where an index carries only a part of the item, a step is given that part.
   */
  readonly upgrades?: readonly Upgrade[];
  /** The oldest version whose code may read the newest items; 0 while every change was additive. Needs `isPutWhole`. */
  readonly readableFrom?: number;
  /** True where every write of an item is a put: an update with `versionClause` would not say who may read the item. */
  readonly isPutWhole?: boolean;
  /** Takes out of an item what older versions have in it, and this one in other items. Until then readers look in both places. */
  readonly split?: (item: Item) => SplitItem;
}

/** A kind of stored item: the one place that knows its shape. `Stored` is the item as the newest version has it. */
export interface Entity<Stored extends object> {
  readonly name: string;
  /** The newest version, which is the one that is written. */
  readonly version: number;
  /** True for the key of an item of this entity. */
  readonly matches: (key: Key) => boolean;
  /** The attributes that say an item's version; they belong into every put of one. An update sets `versionClause`. */
  readonly stamp: SchemaStamp;
  /**
   * An item as read, brought to the newest version; what is of the newest already is given as it is, unchecked. Fields that
   * this code does not know stay. Throws `ItemTooNewError` on an item of a newer version that says it cannot be read so.
   */
  decode(item: Item): Stored;
  /** Reads one item; `consistent` costs twice the read units. Throws as `decode`. */
  find(key: Key, options?: { readonly consistent?: boolean }): Promise<Stored | undefined>;
  /** An item to be stored, with its version; one that was read in a newer version keeps that. */
  encode(value: Stored): Item;
  /** An item as the steps from a version on leave it, whatever version it says it has; not above the newest. */
  upgradeFrom(version: number, item: Item): Item;
  /** An item without what has its place in others by now. */
  split(item: Item): SplitItem;
}

/** What any stored item may carry beside the attributes of its entity. */
export interface StoredItem extends Key, Partial<SchemaStamp> {
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

/** The step to version 1 of what release 0.1 wrote: the version itself. */
export const stampOnly: Upgrade = (item) => item;

/** The attributes that every item carries beside what it holds. */
export interface SchemaStamp {
  readonly schema_version: number;
  /** Present where older code must not read the item: the oldest version whose code may. */
  readonly schema_readable_from?: number;
}

/** The attributes of `SchemaStamp`; an index that carries a part of an item carries these as well. */
export const schemaAttributes = ["schema_version", "schema_readable_from"] as const;

/**
 * What an update adds to its SET clause. An update leaves most of an item as it is, so that the item keeps its version: a
 * newer one would be wrong for what was not written. What the update makes, or what has no version, has the first.
 */
export const versionClause = "schema_version = if_not_exists(schema_version, :schema_version)";

/** The value that `versionClause` goes with. Version 1 differs from what has none by the version alone. */
export const versionValue = { ":schema_version": 1 } as const;

/** An item that newer code wrote in a way that this code must not read. */
export class ItemTooNewError extends Error {
  readonly code = "item_too_new";

  constructor(entity: string, item: Item) {
    const { schema_version, schema_readable_from } = item;
    super(
      `${entity} ${publicNameOf(item)} has version ${schema_version}, readable from version ${schema_readable_from}`,
    );
    this.name = "ItemTooNewError";
  }
}

/** Declares an entity by the keys that it matches. Throws where its updates would leave out what its options say. */
export function defineEntity<Stored extends object>(
  name: string,
  matches: (key: Key) => boolean,
  {
    upgrades = [stampOnly],
    readableFrom = 0,
    isPutWhole = false,
    split = (item) => ({ item, others: [] }),
  }: EntityOptions = {},
): Entity<Stored> {
  if (readableFrom > 0 && !isPutWhole) throw new Error(`${name} has readableFrom, which its updates would leave out`);
  const version = upgrades.length;
  const stamp = { schema_version: version, ...(readableFrom > 0 && { schema_readable_from: readableFrom }) };
  return {
    name,
    version,
    matches,
    stamp,
    decode,
    async find(key, options) {
      const item = await getItem(key, options);
      return item && decode(item);
    },
    encode: (value) => ({ ...(value as Item), ...(versionOf(value as Item) <= version && stamp) }),
    upgradeFrom: (from, item) => ({ ...run(from, item), ...stamp }),
    split,
  };

  function decode(item: Item): Stored {
    return (item.schema_version === version ? item : upgrade(item)) as Stored;
  }

  function upgrade(item: Item): Item {
    const found = versionOf(item);
    if (found <= version) return { ...run(found, item), ...stamp };
    if (numberOr0(item.schema_readable_from) > version) throw new ItemTooNewError(name, item);
    return item;
  }

  function run(from: number, item: Item): Item {
    return upgrades.slice(from).reduce((older, step) => step(older), item);
  }
}

/** The version that an item was written in. */
export function versionOf({ schema_version }: Item): number {
  return numberOr0(schema_version);
}

function numberOr0(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
