import type { ChangedType } from "../contract/changes.ts";
import { findUserAsShown } from "../db/accounts/users.ts";
import { type FoundEntry, findHistory, type HistoryPage, type HistoryStart } from "../db/history/find-history.ts";
import { type HistoryQuestion, questions } from "../db/history/history-items.ts";
import { recordNotFound, requireRecord } from "../db/records/find-records.ts";
import { isWithin, narrowScope, type Scope } from "../domain/caller.ts";
import type { CursorPage } from "../domain/paging/encrypted-cursor.ts";
import { Refusal } from "../domain/refusal.ts";
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

/** The most changes that are read beyond the first page if some of it are hidden. The next page continues there. */
const mostFurther = 200;

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
  const question = await questionOf(filter, scope);
  if (!question) return { items: [], next: undefined };
  const by = filter.by_user === undefined ? undefined : actorOf(filter.by_user);
  // Changes of users, sessions and imports have no company, so only admins see them.
  const isShown = ({ company_id, change }: FoundEntry) =>
    isWithin(scope, company_id ?? null) && (by === undefined || by === change?.by);
  const { changes, after } = await readShown(question, isShown, start);
  if (changes.length === 0 && start.after === undefined) await requireSubject(filter, scope);
  return { items: await showChanges(changes), next: after };
}

async function questionOf(filter: ChangeFilter, scope: Scope): Promise<HistoryQuestion | undefined> {
  const { record_type: type, record_id: id, by_user: user, by_company: company, change_id: changeId } = filter;
  if (type !== undefined && id !== undefined) {
    if (type === "User" && scope !== "all") throw recordNotFound();
    return questions.ofRecord(recordedTypeOf(type), id);
  }
  if (user !== undefined) {
    if (scope !== "all" && !(await isColleague(user, scope))) return questions.ofCompany(scope);
    return questions.byActor(actorOf(user));
  }
  if (changeId !== undefined) return questions.ofChange(changeId.toLowerCase());
  const within = narrowScope(scope, company);
  if (within === "all") throw filterRequired();
  return within === null ? undefined : questions.ofCompany(within);
}

/** There is no list of all changes: the callers who could see it name what they look for. */
function filterRequired(): Refusal {
  const detail = "one filter is required: record_type with record_id, by_user, by_company or change_id";
  const errors = filters.map((parameter) => ({ parameter, code: "missing", detail }) as const);
  return new Refusal("fields_invalid", "Changes are listed by record, user, company or change", { errors });
}

/** The name of a user in a change. */
function actorOf(user: number): string {
  return `user#${user}`;
}

/** Otherwise page sizes would reveal how active the user is in other companies. */
async function isColleague(user: number, companyId: number): Promise<boolean> {
  const found = await findUserAsShown(user);
  return found?.financial_company_id === companyId && found.role !== "admin";
}

/** A page of visible changes. Hidden ones cost a bounded number of reads; the page may then be short. */
async function readShown(
  question: HistoryQuestion,
  isShown: (change: FoundEntry) => boolean,
  { limit, after, now }: HistoryStart,
): Promise<HistoryPage> {
  const first = await findHistory(question, { limit, after, now });
  const seen = first.changes.filter(isShown);
  if (seen.length === first.changes.length || first.after === undefined) return { changes: seen, after: first.after };
  const further = await findHistory(question, { limit: mostFurther, after: first.after, now });
  const changes = [...seen, ...further.changes.filter(isShown)];
  const last = changes[limit - 1];
  return changes.length > limit && last
    ? { changes: changes.slice(0, limit), after: last.place }
    : { changes, after: further.after };
}

/** A record without visible changes may still exist and be the caller's. */
async function requireSubject({ record_type: type, record_id: id }: ChangeFilter, scope: Scope): Promise<void> {
  if (type === undefined || id === undefined) return;
  if (type !== "User") await requireRecord(lists[type], id, scope);
  else if (!(await findUserAsShown(id))) throw recordNotFound();
}
