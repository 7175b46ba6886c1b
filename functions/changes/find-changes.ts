import type { ChangedType } from "../../shared/contract/changes.ts";
import { isWithin, narrowScope, type Scope } from "../../shared/contract/operation.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { findExistingUsers } from "../../shared/people/users.ts";
import { type HistoryQuestion, questions } from "../../shared/records/history.ts";
import { recordNotFound, requireRecord } from "../../shared/records/items.ts";
import type { CursorPage } from "./encrypted-cursor.ts";
import { type FoundEntry, findHistory, type HistoryPage, type HistoryStart } from "./find-history.ts";
import { recordedTypeOf, type ShownChange, showChanges } from "./shown-changes.ts";

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
