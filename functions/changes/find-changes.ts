import { hash } from "node:crypto";
import type * as v from "valibot";
import type { ChangedType, historyEntry } from "../../shared/contract/changes.ts";
import { isWithin, narrowScope, type Scope } from "../../shared/contract/operation.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { findExistingUsers, findUserNames } from "../../shared/people/users.ts";
import {
  type FieldValues,
  type HistoryEntry,
  type HistoryQuestion,
  historyItems,
  indexKeys,
  placedKey,
  placeOf,
  questions,
  type RecordedType,
  type StoredHistory,
  toRecordedChange,
} from "../../shared/records/history.ts";
import { recordNotFound, requireRecord } from "../../shared/records/items.ts";
import { epochSeconds, type Item, queryItems } from "../../shared/table/table.ts";
import type { CursorPage } from "./encrypted-cursor.ts";

/** Which changes are asked for, the latest first. */
interface HistoryStart {
  readonly limit: number;
  /** Goes on from a page, its `after`, or from one of its changes, its `place`. */
  readonly after?: string | undefined;
  readonly now: Date;
}

/** A change, its place in every list that has it, and a name that no other change has. */
interface FoundEntry extends HistoryEntry {
  readonly place: string;
  readonly name: string;
}

/** Some changes, the latest first. */
interface HistoryPage {
  readonly changes: readonly FoundEntry[];
  /** The key after which the next page begins; undefined after the last. A page may hold fewer than `limit`, or none, and others follow. */
  readonly after: string | undefined;
}

/** 132 bits: no two changes have one name. */
const nameLetters = 22;

/**
 * Access pattern HI2: the changes that answer a question, the latest first. Those of one second are in the order of the
 * stream, and always in the same. 0.5 read units for 4 KB, one round trip.
 */
export async function findHistory(
  question: HistoryQuestion,
  { limit, after, now }: HistoryStart,
): Promise<HistoryPage> {
  const { index, key, partition } = question;
  const query = {
    IndexName: index,
    KeyConditionExpression: "#key = :partition",
    ExpressionAttributeNames: { "#key": key },
    ExpressionAttributeValues: { ":partition": partition },
    ExclusiveStartKey: after === undefined ? undefined : startKey(question, after),
    ScanIndexForward: false,
  };
  const items = (await queryItems(query, limit + 1)).map(historyItems.decode);
  const page = items.slice(0, limit);
  const last = page.at(-1);
  // The table removes expired changes within days of their expiry.
  const live = page.filter(({ record }) => record.expires_at > epochSeconds(now));
  return { changes: live.map(toFound), after: last && items.length > limit ? placeOf(last) : undefined };
}

/** A condition on the order alone would pass over changes that share it. */
function startKey(question: HistoryQuestion, place: string): Item {
  const key = placedKey(place);
  return { ...key, ...indexKeys(question, key.sk) };
}

function toFound(item: StoredHistory): FoundEntry {
  const place = placeOf(item);
  const name = hash("sha256", place, "base64url").slice(0, nameLetters);
  return { ...toRecordedChange(item), place, name };
}

/** A change as the interface shows it (D41). */
export type ShownChange = v.InferOutput<typeof historyEntry>;

type Actor = ShownChange["by"];

const shownTypes = {
  timesheet: "Timesheet",
  invoice: "Invoice",
  job: "Job",
  user: "User",
  // A session is shown as a change of its user.
  session: "User",
  import: "Import",
} as const satisfies Readonly<Record<RecordedType, ShownChange["record_type"]>>;

/** The history's name for a record type of the interface. */
function recordedTypeOf(type: ChangedType): Exclude<RecordedType, "session"> {
  return type.toLowerCase() as Lowercase<ChangedType>;
}

/** Changes with their actors' current names. 0.5 read units a user, one round trip. */
async function showChanges(changes: readonly FoundEntry[]): Promise<ShownChange[]> {
  const actors = changes.map(({ change }) => actorOf(change?.by));
  const ids = actors.flatMap(({ kind, id }) => (kind === "user" ? [Number(id)] : []));
  const names = await findUserNames(ids.filter(Number.isSafeInteger));
  return changes.map((each, at) => showChange(each, actors[at] ?? nobody, names));
}

const nobody: Actor = { kind: "unknown", id: null, name: null };

function actorOf(by: string | undefined): Actor {
  const [, kind, id] = /^(user|import|event|schedule|tool|service)#(.+)$/s.exec(by ?? "") ?? [];
  return kind === undefined || id === undefined ? nobody : { kind: kind as Actor["kind"], id, name: null };
}

function showChange(found: FoundEntry, by: Actor, names: ReadonlyMap<number, string>): ShownChange {
  const { type, id, user_id, did, change, at } = found;
  return {
    id: found.name,
    change_id: change?.id ?? null,
    at,
    record_type: shownTypes[type],
    record_id: type === "import" ? null : Number(type === "session" ? user_id : id),
    action: did === "ended" ? "session_ended" : did,
    by: by.kind === "user" ? { ...by, name: names.get(Number(by.id)) || null } : by,
    operation: change?.operation ?? null,
    request_id: change?.request ?? null,
    key_id: change?.key_id ?? null,
    fields: fieldsOf(found),
  };
}

function fieldsOf({ type, id, before, after }: FoundEntry): ShownChange["fields"] {
  if (type === "session") return [{ name: "session", before: id, after: null }];
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  return names.map((name) => ({ name, before: valueIn(before, name), after: valueIn(after, name) }));
}

function valueIn(fields: FieldValues | undefined, name: string): unknown {
  return fields?.[name] ?? null;
}

/** The filters of changes: at most one of them; `record_type` and `record_id` count as one. */
export interface ChangeFilter {
  readonly record_type?: ChangedType | undefined;
  readonly record_id?: number | undefined;
  readonly by_user?: number | undefined;
  readonly by_company?: number | undefined;
  readonly change_id?: string | undefined;
}

const filters = ["record_type", "record_id", "by_user", "by_company", "change_id"] as const;

const lists = { Timesheet: "TIMESHEETS", Invoice: "INVOICES", Job: "JOBS" } as const;

/** So many further entries are read at once if not enough of a page's are shown. */
const furtherAtOnce = 200;

/**
 * So often they are read to find one more that the caller may see: `next` must not say that there are hidden ones. More
 * entries than these have imports alone, and records that were changed as often.
 */
const furtherReads = 5;

/** The entries to read for a filter, and those of them that the caller may see or asked for: all if nothing says otherwise. */
interface Reading {
  readonly question: HistoryQuestion;
  readonly isShown?: (entry: FoundEntry) => boolean;
  /** The most reads of further entries; 1 if left out. */
  readonly furtherReads?: number;
}

/**
 * Access pattern HI8: the changes within a scope, newest first. Operators see only those of their company's timesheets,
 * invoices and jobs. Refuses as `record_not_found` a record that does not exist or is outside of the scope, and as
 * `fields_invalid` an admin's call without a filter (D2, D41).
 */
export async function findChanges(
  filter: ChangeFilter,
  scope: Scope,
  start: HistoryStart,
): Promise<CursorPage<ShownChange>> {
  const reading = readingOf(filter, scope);
  if (!reading) return { items: [], next: undefined };
  const { changes, after } = await readShown(reading, start);
  if (changes.length === 0 && start.after === undefined) await requireSubject(filter, scope);
  return { items: await showChanges(changes), next: after };
}

function readingOf(filter: ChangeFilter, scope: Scope): Reading | undefined {
  const { record_type: type, record_id: id, by_user: user, by_company: company, change_id: changeId } = filter;
  // Changes of users, sessions and imports have no company, so only admins see them.
  const isShown = ({ company_id }: FoundEntry) => isWithin(scope, company_id ?? null);
  const shown = scope === "all" ? {} : { isShown, furtherReads };
  if (type !== undefined && id !== undefined) {
    if (type === "User" && scope !== "all") throw recordNotFound();
    return { question: questions.ofRecord(recordedTypeOf(type), id), ...shown };
  }
  if (changeId !== undefined) return { question: questions.ofChange(changeId.toLowerCase()), ...shown };
  if (user !== undefined) return readingOfActor(`user#${user}`, scope);
  const within = narrowScope(scope, company);
  if (within === "all") throw filterRequired();
  return within === null ? undefined : { question: questions.ofCompany(within) };
}

/** For operators it is in their company's entries alone: how active a user is elsewhere must not show. */
function readingOfActor(by: string, scope: Scope): Reading {
  if (scope === "all") return { question: questions.byActor(by) };
  return { question: questions.ofCompany(scope), isShown: ({ change }) => change?.by === by };
}

/** There is no list of all changes: the callers who could see it name what they look for. */
function filterRequired(): Refusal {
  const detail = "one filter is required: record_type with record_id, by_user, by_company or change_id";
  const errors = filters.map((parameter) => ({ parameter, code: "missing", detail }) as const);
  return new Refusal("fields_invalid", "Changes are listed by record, user, company or change", { errors });
}

/** A page of the entries that are shown. Others cost a bounded number of reads; the page may then be short. */
async function readShown(
  { question, isShown, furtherReads: most = 1 }: Reading,
  { limit, after, now }: HistoryStart,
): Promise<HistoryPage> {
  if (!isShown) return findHistory(question, { limit, after, now });
  const shown: FoundEntry[] = [];
  let from = after;
  for (let further = 0; further <= most && shown.length <= limit; further += 1) {
    const page = await findHistory(question, { limit: further === 0 ? limit + 1 : furtherAtOnce, after: from, now });
    shown.push(...page.changes.filter(isShown));
    from = page.after;
    if (from === undefined) break;
  }
  const last = shown[limit - 1];
  return last && shown.length > limit
    ? { changes: shown.slice(0, limit), after: last.place }
    : { changes: shown, after: from };
}

/** A record without visible changes may still exist and be the caller's. */
async function requireSubject({ record_type: type, record_id: id }: ChangeFilter, scope: Scope): Promise<void> {
  if (type === undefined || id === undefined) return;
  if (type !== "User") await requireRecord(lists[type], id, scope);
  else if ((await findExistingUsers([id], { consistent: false })).length === 0) throw recordNotFound();
}
