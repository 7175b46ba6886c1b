import type { Change } from "../../shared/contract/operation.ts";
import { endedAt, familyOf, sessions } from "../../shared/people/sessions.ts";
import {
  type FieldValues,
  type HistoryEntry,
  type HistoryQuestion,
  historyItems,
  historyOrder,
  historyPartition,
  indexKeys,
  numberIn,
  questions,
} from "../../shared/records/history.ts";
import { revisionOf } from "../../shared/records/items.ts";
import type { StreamRecord } from "../../shared/table/entity.ts";
import type { Item } from "../../shared/table/table.ts";
import { isWhole, lastChangeOf, type StampedChange } from "../../shared/table/table.ts";
import { boundFields } from "./bounded-fields.ts";
import { differenceOf, impersonal, type RecordedFields, recordedFieldsOf, typeOfRecord } from "./recorded-fields.ts";

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

/**
 * The questions that a change answers, other than that for its record. Only for users can the history be asked for the
 * changes that they made.
 */
function questionsOf({ change, company_id }: HistoryEntry): HistoryQuestion[] {
  return [
    ...(change?.by.startsWith("user#") ? [questions.byActor(change.by)] : []),
    ...(company_id === undefined ? [] : [questions.ofCompany(company_id)]),
    ...(change ? [questions.ofChange(change.id)] : []),
  ];
}
