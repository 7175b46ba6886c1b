import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { endedAt, familyOf, sessions } from "../../shared/people/sessions.ts";
import { type StoredUser, users } from "../../shared/people/users.ts";
import {
  type CutValue,
  type FieldValues,
  type HistoryEntry,
  type HistoryQuestion,
  historyItems,
  historyOrder,
  historyPartition,
  indexKeys,
  numberIn,
  questions,
  type RecordedType,
} from "../../shared/records/history.ts";
import { isListedKind, type ListedKind, listedItems, listsByKind, revisionOf } from "../../shared/records/items.ts";
import type { Change } from "../../shared/run/change.ts";
import type { StreamRecord } from "../../shared/table/entity.ts";
import { type Item, isWhole, type Key, lastChangeOf, type StampedChange } from "../../shared/table/table.ts";

/** The fields of a change, before and after it. */
interface ChangedFields {
  readonly before?: FieldValues | undefined;
  readonly after?: FieldValues | undefined;
}

/** The same fields as JSON. */
interface ChangedTexts {
  readonly before?: string;
  readonly after?: string;
}

/**
 * Numbers of letters that are kept of a long value. A lower number is used if the fields are still too large; -1 leaves
 * the hash out too.
 */
const keptLetters = [Number.POSITIVE_INFINITY, 400, 100, 20, 0, -1] as const;
/** The shortest form of a cut value. */
const shortest = JSON.stringify({ cut: "" });
/** Bytes that a cut value takes in addition to its kept letters. */
const cutBytes = Buffer.byteLength(JSON.stringify({ cut: "", sha256: "s".repeat(22) }));

/** Cuts long values so that the fields of a change fit. The result is the same each time. */
export function boundFields({ before, after }: ChangedFields, mostBytes: number): ChangedTexts {
  let texts: ChangedTexts = {};
  for (const letters of keptLetters) {
    const cut = (fields: FieldValues) => JSON.stringify(cutFields(fields, letters));
    texts = { ...(before && { before: cut(before) }), ...(after && { after: cut(after) }) };
    if (bytesOf(texts.before) + bytesOf(texts.after) <= mostBytes) break;
  }
  return texts;
}

function cutValue(value: unknown, letters: number): unknown {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) <= (letters < 0 ? shortest.length : letters + cutBytes)) return value;
  const sha256 = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  return (letters < 0 ? { cut: "" } : { cut: text.slice(0, letters), sha256 }) satisfies CutValue;
}

function cutFields(fields: FieldValues, letters: number): FieldValues {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, cutValue(value, letters)]));
}

function bytesOf(text = ""): number {
  return Buffer.byteLength(text);
}

/** The data of a record that its history compares. */
interface RecordedFields {
  readonly fields: FieldValues;
  readonly company_id: number | undefined;
  /** The number of changes of password and passcode. The history keeps nothing else about them. */
  readonly secrets: { readonly password?: number; readonly passcode?: number };
}

const types = { TIMESHEET: "timesheet", INVOICE: "invoice", JOB: "job" } as const;

/** The type of a record, by its key. Throws on other keys. */
function typeOfRecord({ sk }: Key): Exclude<RecordedType, "session" | "import"> {
  if (sk === "USER") return "user";
  if (isListedKind(sk)) return types[sk];
  throw new Error("The key is not of a record that has a history");
}

/** The fields of a stored record as its history names them. */
function recordedFieldsOf({ sk }: Key, item: Item): RecordedFields {
  return isListedKind(sk) ? listedFieldsOf(sk, item) : userFieldsOf(users.decode(item));
}

function listedFieldsOf(kind: ListedKind, item: Item): RecordedFields {
  const { company_id, record, timer, timer_expires_at } = listedItems[listsByKind[kind]].decode(item);
  return { fields: { company_id, ...record, timer, timer_expires_at }, company_id, secrets: {} };
}

/** A new password raises `session_epoch`. */
function userFieldsOf(stored: StoredUser): RecordedFields {
  const { record, session_epoch: password = 0, passcode_changes: passcode = 0 } = stored;
  return { fields: { ...record }, company_id: undefined, secrets: { password, passcode } };
}

/** Names the secrets that have changed. */
function newSecrets({ secrets: before }: RecordedFields, { secrets: after }: RecordedFields): string[] {
  return [
    ...(before.password === after.password ? [] : ["password"]),
    ...(before.passcode === after.passcode ? [] : ["passcode"]),
  ];
}

/**
 * The fields of a removed user that are kept, because they identify nobody by themselves. The number of the profile
 * shows in which timesheets the person must be forgotten, and an API key which engineer made it.
 */
export function impersonal(type: RecordedType, fields: FieldValues): FieldValues {
  if (type !== "user") return fields;
  const { role, financial_company_id, profile_id, password, passcode, api_key } = fields;
  return { role, financial_company_id, profile_id, password, passcode, api_key };
}

/** The fields in which two states of a record differ, before and after; undefined if they do not differ. */
function differenceOf(before: RecordedFields, after: RecordedFields) {
  const names = new Set([...Object.keys(before.fields), ...Object.keys(after.fields)]);
  const valueIn = (fields: FieldValues, name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
  const isSame = (name: string) => isDeepStrictEqual(valueIn(before.fields, name), valueIn(after.fields, name));
  const changed = [...names].filter((name) => !isSame(name)).toSorted();
  const secrets = newSecrets(before, after);
  if (changed.length + secrets.length === 0) return undefined;
  const pick = (fields: FieldValues) => Object.fromEntries(changed.map((name) => [name, valueIn(fields, name)]));
  const marks = Object.fromEntries(secrets.map((name) => [name, "changed"]));
  return { before: pick(before.fields), after: { ...pick(after.fields), ...marks } };
}

/** An entry that is being made. */
interface EntryDraft extends HistoryEntry {
  /** True for the beginning of a record by an import: the record alone is asked for it. */
  readonly isBeginning?: true;
}

/** When the table was written, as its stream says it. */
type Written = Pick<StreamRecord, "createdAt" | "sequence">;

/**
 * The entries that the history keeps of a change of the table; none if no field differs. They are the same however often
 * this is asked. An import keeps its new records as one change of its own. How it began a record is kept with the
 * record's next change.
 */
export function historyOf(change: StreamRecord, keptDays: number): Item[] {
  const drafts = sessions.matches(change.key) ? endOf(change) : draftsOf(change);
  return drafts.map((draft) => toItem(draft, change, keptDays));
}

function draftsOf(change: StreamRecord): EntryDraft[] {
  const { key, before, after, removedBy } = change;
  // An item made by hand may have no revision.
  if (before && after && before.revision !== undefined && before.revision === after.revision) return [];
  const [was, is] = [before, after].map((item) => item && recordedFieldsOf(key, item));
  if (!was && firstImportOf(after)) return [];
  const type = typeOfRecord(key);
  const about = { type, id: numberIn(key) };
  const shown = (fields: FieldValues) => (is ? fields : impersonal(type, fields));
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

/** The beginning of a record that an import created and that nobody has changed until now. */
function beginningOf(item: Item | undefined, was: RecordedFields, shown: (fields: FieldValues) => FieldValues) {
  const change = firstImportOf(item);
  const { fields, company_id } = was;
  const revision = revisionOf(item);
  const created = { did: "created", isBeginning: true, company_id, revision, after: shown(fields) } as const;
  return change && { ...created, change, at: change.at };
}

function endOf(change: StreamRecord): EntryDraft[] {
  const [was, is] = [change.before, change.after].map((item) => item && sessions.decode(item));
  if (!was || !is || was.valid_to === endedAt || is.valid_to !== endedAt) return [];
  const about = { type: "session", id: familyOf(is), user_id: numberIn(change.key) } as const;
  return [{ ...about, ...authorship(is.change, change), did: "ended" }];
}

function authorship(
  stored: StampedChange | undefined,
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

function authorOf(change: StampedChange | undefined): Change | undefined {
  if (!isWhole(change)) return undefined;
  const { creates: _, ...author } = change;
  return author;
}

function momentOf(seconds = 0): string {
  return new Date(seconds * 1_000).toISOString();
}

/** Two write units, whatever the record is. */
const mostEntryBytes = 2_048;
/** Names and numbers of the two texts. */
const spareBytes = 64;

/** The item that keeps a change. Its index keys answer for the user who made it, its company and its change. */
export function toItem(draft: EntryDraft, { createdAt = 0, sequence }: Written, keptDays: number): Item {
  const { isBeginning = false, id, before, after, ...recorded } = draft;
  const { type, user_id = 0 } = recorded;
  const pk = type === "session" ? historyPartition("user", user_id) : historyPartition(type, id);
  const sk = historyOrder(createdAt, sequence, isBeginning);
  const expires_at = createdAt + keptDays * 86_400;
  const record = { ...recorded, ...(type === "session" && { family: `${id}` }), expires_at };
  const asked = isBeginning ? [] : questionsOf(draft);
  const item = { ...Object.assign({}, ...asked.map((each) => indexKeys(each, sk))), pk, sk, expires_at, record };
  const left = mostEntryBytes - spareBytes - Buffer.byteLength(JSON.stringify(historyItems.encode(item)));
  return historyItems.encode({ ...item, record: { ...record, ...boundFields({ before, after }, left) } });
}

/** The author of API keys that engineers make. */
export const keyMaker = "tool#token";

/**
 * The questions that a change answers, other than that for its record. Only for users, and for engineers who made API keys, can
 * the history be asked for the changes that they made.
 */
function questionsOf({ change, company_id }: HistoryEntry): HistoryQuestion[] {
  return [
    ...(change && (change.by.startsWith("user#") || change.by === keyMaker) ? [questions.byActor(change.by)] : []),
    ...(company_id === undefined ? [] : [questions.ofCompany(company_id)]),
    ...(change ? [questions.ofChange(change.id)] : []),
  ];
}
