import type { Change } from "../../domain/records/change.ts";
import { endedAt, familyOf, sessions } from "../accounts/sessions.ts";
import { revisionOf } from "../lists/listed-items.ts";
import { isWhole, lastChangeOf, type StoredChange } from "../table/change-stamps.ts";
import type { StreamRecord } from "../table/stream-records.ts";
import type { Item, Key } from "../table/table.ts";
import { boundFields } from "./bounded-fields.ts";
import {
  dayOfPlace,
  type Fields,
  type HistoryEntry,
  historyItems,
  historyPartition,
  historyPlaces,
  numberIn,
  orderOf,
  placeOrder,
  placePartitions,
  type StoredHistory,
  shardsPerDay,
} from "./history-items.ts";
import { differenceOf, impersonal, type RecordedFields, recordedFieldsOf, typeOf } from "./recorded-fields.ts";

/** A change of the history in the making. */
interface Draft extends HistoryEntry {
  /** 0 for what began before the change that it is kept with: it has no places of its own. */
  readonly order?: 0;
}

/** When the table was written, as its stream says it. */
type Written = Pick<StreamRecord, "createdAt" | "sequence">;

/**
 * What the history keeps of a change of the table, the same however often it is asked: nothing where no field differs. An
 * import's new record is kept by its run alone; how it began is kept with its next change, whatever that was.
 */
export function historyOf(change: StreamRecord, removedBy: StoredChange | undefined, keptDays: number): Item[] {
  const drafts = sessions.matches(change.key) ? endOf(change) : draftsOf(change, removedBy);
  return drafts.flatMap((draft) => toItems(draft, change, keptDays));
}

/** The items that keep a change, with the places by which it is found. */
export function toItems({ order, ...recorded }: Draft, written: Written, keptDays: number): Item[] {
  const item = itemOf(recorded, order ?? 1, written, keptDays);
  return [historyItems.encode(item), ...(order === undefined ? placesOf(recorded, item) : [])];
}

function draftsOf(change: StreamRecord, removedBy: StoredChange | undefined): Draft[] {
  const { key, before, after } = change;
  if (before && after && before.revision !== undefined && before.revision === after.revision) return [];
  const [was, is] = [before, after].map((item) => item && recordedFieldsOf(key, item));
  if (!was && firstImportOf(after)) return [];
  const type = typeOf(key);
  const about = { type, id: numberIn(key) };
  const shown = (fields: Fields) => (is ? fields : impersonal(type, fields));
  const difference = was && is ? differenceOf(was, is) : { before: was && shown(was.fields), after: is?.fields };
  const began = was && beginningOf(before, was, shown);
  const company_id = !was || !is || was.company_id === is.company_id ? (is ?? was)?.company_id : undefined;
  const revision = after ? revisionOf(after) : revisionOf(before) + 1;
  const did = was ? (is ? "updated" : "removed") : "created";
  const author = authorship(after ? lastChangeOf(after) : removedBy, change);
  return [
    ...(began ? [{ ...about, ...began }] : []),
    ...(difference && (was || is) ? [{ ...about, ...author, did, company_id, revision, ...difference } as const] : []),
  ];
}

/** How an import began a record that nobody has changed until now. */
function beginningOf(item: Item | undefined, was: RecordedFields, shown: (fields: Fields) => Fields) {
  const change = firstImportOf(item);
  const { fields, company_id } = was;
  const revision = revisionOf(item);
  const created = { did: "created", order: 0, company_id, revision, after: shown(fields) } as const;
  return change && { ...created, change, at: change.at };
}

function endOf(change: StreamRecord): Draft[] {
  const [was, is] = [change.before, change.after].map((item) => item && sessions.decode(item));
  if (!was || !is || was.valid_to === endedAt || is.valid_to !== endedAt) return [];
  const about = { type: "session", id: familyOf(is), user_id: numberIn(change.key) } as const;
  return [{ ...about, ...authorship(is.change, change), did: "ended" }];
}

function authorship(
  stored: StoredChange | undefined,
  { createdAt }: StreamRecord,
): Pick<HistoryEntry, "change" | "at"> {
  const change = authorOf(stored);
  return change ? { change, at: change.at } : { at: momentOf(createdAt) };
}

/** The import whose first change of a record an item still is. */
function firstImportOf(item: Item | undefined): Change | undefined {
  const change = lastChangeOf(item);
  return change?.creates && change.by.startsWith("import#") ? authorOf(change) : undefined;
}

function authorOf(change: StoredChange | undefined): Change | undefined {
  if (!isWhole(change)) return undefined;
  const { creates: _, ...author } = change;
  return author;
}

function momentOf(seconds = 0): string {
  return new Date(seconds * 1_000).toISOString();
}

/** Two write units, whatever the record is. */
const mostBytes = 2_048;
/** Names and numbers of the two texts. */
const spareBytes = 64;

function itemOf(
  { id, before, after, ...recorded }: HistoryEntry,
  order: number,
  { createdAt, sequence = "" }: Written,
  keptDays: number,
): StoredHistory {
  const { type, user_id = 0 } = recorded;
  const pk = type === "session" ? historyPartition("user", user_id) : historyPartition(type, id);
  const expires_at = (createdAt ?? 0) + keptDays * 86_400;
  const item = {
    ...recorded,
    ...(type === "session" && { family: `${id}` }),
    pk,
    sk: `${orderOf(createdAt ?? 0, sequence)}.${order}`,
    expires_at,
  };
  const left = mostBytes - spareBytes - Buffer.byteLength(JSON.stringify(historyItems.encode(item)));
  return { ...item, ...boundFields({ before, after }, left) };
}

/** The places by which a change is found: by the user who made it, its company, its change and its day. */
function placesOf({ change, company_id }: HistoryEntry, item: StoredHistory): Item[] {
  const { expires_at } = item;
  const sk = placeOrder(item);
  const partitions = [
    ...(change && isUser(change.by) ? [placePartitions.actor(change.by)] : []),
    ...(change ? [placePartitions.change(change.id)] : []),
    ...(company_id === undefined ? [] : [placePartitions.company(company_id)]),
    placePartitions.day(dayOfPlace(sk), shardOf(item)),
  ];
  return partitions.map((pk) => historyPlaces.encode({ pk, sk, expires_at }));
}

/** Others are never asked for, and an import may make more changes a second than one partition takes. */
function isUser(by: string): boolean {
  return by.startsWith("user#");
}

/** Records of one batch are of other shards: the letters of the key's end vary the most. */
function shardOf({ pk }: Key): number {
  let hash = 0;
  for (const letter of pk) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return hash % shardsPerDay;
}
