import type { LastChange } from "../../work.ts";
import { endedAt, familyOf, sessions } from "../accounts/sessions.ts";
import { revisionOf } from "../lists/listed-items.ts";
import { isWhole, lastChangeOf, type StoredChange } from "../table/change-stamps.ts";
import type { Item, Key } from "../table/table.ts";
import type { TableChange } from "../table/table-changes.ts";
import { boundFields } from "./bounded-fields.ts";
import {
  historyItems,
  historyPartition,
  historyPlaces,
  placeOrder,
  placePartitions,
  type RecordedChange,
  type StoredHistory,
  shardsPerDay,
} from "./history-items.ts";
import { differenceOf, impersonal, recordedFieldsOf, typeOf } from "./recorded-fields.ts";

/** A change of the history in the making. */
interface Draft extends RecordedChange {
  /** 0 for what began before the change that it is kept with: it has no places of its own. */
  readonly order?: 0;
}

/** When the table was written, as its stream says it. */
type Written = Pick<TableChange, "createdAt" | "sequence">;

/**
 * What the history keeps of a change of the table, the same however often it is asked: nothing where no field differs. An
 * import's new record is kept by its run alone; how it began is kept with its next change, whatever that was.
 */
export function historyOf(change: TableChange, removedBy: StoredChange | undefined, keptDays: number): Item[] {
  const drafts = sessions.matches(change.key) ? endOf(change) : draftsOf(change, removedBy);
  return drafts.flatMap((draft) => toItems(draft, change, keptDays));
}

/** The items that keep a change, with the places by which it is found. */
export function toItems({ order, ...recorded }: Draft, written: Written, keptDays: number): Item[] {
  const item = itemOf(recorded, order ?? 1, written, keptDays);
  return [historyItems.encode(item), ...(order === undefined ? placesOf(recorded, item) : [])];
}

function draftsOf({ key, before, after, createdAt }: TableChange, removedBy: StoredChange | undefined): Draft[] {
  if (before && after && before.revision !== undefined && before.revision === after.revision) return [];
  const author = authorOf(after ? lastChangeOf(after) : removedBy);
  const [was, is] = [before, after].map((item) => item && recordedFieldsOf(key, item));
  if (!was && is && isFirstImport(after)) return [];
  const type = typeOf(key);
  const about = { type, id: Number(key.pk.slice(key.pk.indexOf("#") + 1)) };
  const written = { ...about, ...(author && { change: author }), at: author?.at ?? momentOf(createdAt) };
  const revision = after ? revisionOf(after) : revisionOf(before) + 1;
  const shown = (fields: Draft["before"]) => fields && (is ? fields : impersonal(type, fields));
  const company_id = !was || !is || was.company_id === is.company_id ? (is ?? was)?.company_id : undefined;
  const began = was && firstImportOf(before);
  const drafts: Draft[] = began
    ? [
        {
          ...about,
          did: "created",
          change: began,
          at: began.at,
          order: 0,
          company_id: was.company_id,
          revision: revisionOf(before),
          after: shown(was.fields),
        },
      ]
    : [];
  const difference = was && is ? differenceOf(was, is) : { before: shown(was?.fields), after: is?.fields };
  if (!difference || (!was && !is)) return drafts;
  const did = was ? (is ? "updated" : "removed") : "created";
  return [...drafts, { ...written, did, company_id, revision, ...difference }];
}

function endOf({ key, before, after, createdAt }: TableChange): Draft[] {
  if (!before || !after) return [];
  const [was, is] = [sessions.decode(before), sessions.decode(after)];
  if (was.valid_to === endedAt || is.valid_to !== endedAt) return [];
  const author = authorOf(is.change);
  const about = { id: familyOf(is), user_id: Number(key.pk.slice(key.pk.indexOf("#") + 1)) };
  return [
    {
      type: "session",
      did: "ended",
      ...about,
      ...(author && { change: author }),
      at: author?.at ?? momentOf(createdAt),
    },
  ];
}

/** The import whose first change of a record an item still is. */
function firstImportOf(item: Item | undefined): LastChange | undefined {
  const change = lastChangeOf(item);
  return change?.creates && change.by.startsWith("import#") ? authorOf(change) : undefined;
}

function isFirstImport(item: Item | undefined): boolean {
  return firstImportOf(item) !== undefined;
}

function authorOf(change: StoredChange | undefined): LastChange | undefined {
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
  { id, before, after, ...recorded }: RecordedChange,
  order: number,
  { createdAt, sequence = "" }: Written,
  keptDays: number,
): StoredHistory {
  const isSession = recorded.type === "session";
  const pk =
    recorded.type === "session"
      ? historyPartition("user", Number(recorded.user_id))
      : historyPartition(recorded.type, id);
  const position = `${String(createdAt ?? 0).padStart(10, "0")}.${sequence.padStart(40, "0")}`;
  const expires_at = (createdAt ?? 0) + keptDays * 86_400;
  const item = { ...recorded, ...(isSession && { family: String(id) }), pk, sk: `${position}.${order}`, expires_at };
  const left = mostBytes - spareBytes - Buffer.byteLength(JSON.stringify(historyItems.encode(item)));
  return { ...item, ...boundFields({ before, after }, left) };
}

/** The places by which a change is found: by who made it, its company, its change and its day. */
function placesOf({ change, company_id }: RecordedChange, item: StoredHistory): Item[] {
  const { pk, sk, expires_at } = item;
  const day = new Date(Number(sk.slice(0, 10)) * 1_000).toISOString().slice(0, 10);
  const partitions = [
    ...(change ? [placePartitions.actor(change.by), placePartitions.change(change.id)] : []),
    ...(company_id === undefined ? [] : [placePartitions.company(company_id)]),
    placePartitions.day(day, shardOf(item)),
  ];
  return partitions.map((partition) => historyPlaces.encode({ pk: partition, sk: placeOrder({ pk, sk }), expires_at }));
}

/** Records of one batch are of other shards: the letters of the key's end vary the most. */
function shardOf({ pk }: Key): number {
  let hash = 0;
  for (const letter of pk) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return hash % shardsPerDay;
}
