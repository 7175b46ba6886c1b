import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import { type ChangeStamp, getItem, type Item, isTombstone, type Key, liveItem, type StampedChange } from "./table.ts";

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

/** One change of the table from its stream, which delivers it at least once. */
export interface StreamRecord {
  /** Identical in each delivery of the change. */
  readonly eventId: string;
  readonly key: Key;
  /** The item before the change; undefined if there was none. */
  readonly before: Item | undefined;
  /** The item after the change; undefined if it was removed. */
  readonly after: Item | undefined;
  /** The change that removed the record, if its tombstone says it. */
  readonly removedBy?: StampedChange | undefined;
  /** The stream's time of the change in seconds since 1970; undefined if no stream delivered the change. */
  readonly createdAt?: number | undefined;
  /** Increases with each change of an item. */
  readonly sequence?: string | undefined;
  /** Id of the request that caused the change, if the item or its tombstone names one. */
  readonly requestId?: string | undefined;
}

/** Reads a stream record. Throws if it is not of this table. */
export function readStreamRecord(record: DynamoDBRecord): StreamRecord {
  const { eventID, dynamodb } = record;
  const key = itemOf(dynamodb?.Keys);
  if (!eventID || !key) throw new Error("The stream record has no id or no key");
  const [before, after] = [itemOf(dynamodb?.OldImage), itemOf(dynamodb?.NewImage)];
  const requestId = requestOfStreamRecord(record);
  const { ApproximateCreationDateTime: createdAt, SequenceNumber: sequence } = dynamodb ?? {};
  const written = { ...readImages(before, after), createdAt, sequence, requestId };
  return { eventId: eventID, key: { pk: String(key.pk), sk: String(key.sk) }, ...written };
}

/** Errors of the codec quote what they cannot read, which may be a secret. */
function itemOf(image: unknown): Item | undefined {
  try {
    return image === undefined ? undefined : unmarshall(image as Parameters<typeof unmarshall>[0]);
  } catch {
    throw new Error("The stream record has an image that cannot be read");
  }
}

/** The items before and after a change. A tombstone counts as no item; it says who removed the record. */
export function readImages(
  before: Item | undefined,
  after: Item | undefined,
): Pick<StreamRecord, "before" | "after" | "removedBy"> {
  const removedBy = after && isTombstone(after) ? after.change : undefined;
  return { before: liveItem(before), after: liveItem(after), ...(removedBy && { removedBy }) };
}

/**
 * The request that caused a stream record's change, as the item names it. If the revision did not change, the item
 * names the request of an earlier change.
 */
export function requestOfStreamRecord({ dynamodb }: DynamoDBRecord): string | undefined {
  const { OldImage, NewImage } = dynamodb ?? {};
  return OldImage?.revision?.N === NewImage?.revision?.N ? undefined : NewImage?.change?.M?.request?.S;
}

/** The partition and sort key of a stream record, so that people can look it up; empty texts if it has none. */
export function nameOfStreamRecord({ dynamodb }: DynamoDBRecord): { pk: string; sk: string } {
  const { pk, sk } = dynamodb?.Keys ?? {};
  return { pk: pk?.S ?? "", sk: sk?.S ?? "" };
}
