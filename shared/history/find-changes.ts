import type { ChangedType } from "../contract/changes.ts";
import { findUserAsShown } from "../db/accounts/users.ts";
import {
  type FoundEntry,
  findActorHistory,
  findChangeHistory,
  findCompanyHistory,
  findHistory,
  findRecordHistory,
  type HistoryPage,
  type HistoryStart,
} from "../db/history/find-history.ts";
import { recordNotFound, requireRecord } from "../db/records/find-records.ts";
import { isWithin, narrowScope, type Scope } from "../domain/caller.ts";
import type { CursorPage } from "../domain/paging/encrypted-cursor.ts";
import { recordedTypeOf, type ShownChange, showChanges } from "./shown-changes.ts";

/** The filters of changes: at most one of them; `record_type` and `record_id` count as one. */
export interface ChangeFilter {
  readonly record_type?: ChangedType | undefined;
  readonly record_id?: number | undefined;
  readonly by_user?: number | undefined;
  readonly by_company?: number | undefined;
  readonly change_id?: string | undefined;
}

type Read = (start: HistoryStart) => Promise<HistoryPage>;

const lists = { Timesheet: "TIMESHEETS", Invoice: "INVOICES", Job: "JOBS" } as const;

/** The most changes that are read beyond the first page if some of it are hidden. The next page continues there. */
const mostFurther = 200;

/**
 * Access pattern HI8: the changes within a scope, newest first. Operators see only those of their company's timesheets,
 * invoices and jobs. Refuses as `record_not_found` a record that does not exist or is outside of the scope (D2, D41).
 */
export async function findChanges(
  filter: ChangeFilter,
  scope: Scope,
  start: HistoryStart,
): Promise<CursorPage<ShownChange>> {
  const read = await readerOf(filter, scope);
  if (!read) return { items: [], next: undefined };
  const by = filter.by_user === undefined ? undefined : actorOf(filter.by_user);
  // Changes of users, sessions and imports have no company, so only admins see them.
  const isShown = ({ company_id, change }: FoundEntry) =>
    isWithin(scope, company_id ?? null) && (by === undefined || by === change?.by);
  const { changes, after } = await readShown(read, isShown, start);
  if (changes.length === 0 && start.after === undefined) await requireSubject(filter, scope);
  return { items: await showChanges(changes), next: after };
}

async function readerOf(filter: ChangeFilter, scope: Scope): Promise<Read | undefined> {
  const { record_type: type, record_id: id, by_user: user, by_company: company, change_id: changeId } = filter;
  if (type !== undefined && id !== undefined) {
    if (type === "User" && scope !== "all") throw recordNotFound();
    return (start) => findRecordHistory(recordedTypeOf(type), id, start);
  }
  if (user !== undefined) {
    if (scope !== "all" && !(await isColleague(user, scope))) return (start) => findCompanyHistory(scope, start);
    return (start) => findActorHistory(actorOf(user), start);
  }
  if (changeId !== undefined) return (start) => findChangeHistory(changeId.toLowerCase(), start);
  const within = narrowScope(scope, company);
  if (within === null) return undefined;
  return within === "all" ? findHistory : (start) => findCompanyHistory(within, start);
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
  read: Read,
  isShown: (change: FoundEntry) => boolean,
  { limit, after, now }: HistoryStart,
): Promise<HistoryPage> {
  const first = await read({ limit, after, now });
  const seen = first.changes.filter(isShown);
  if (seen.length === first.changes.length || first.after === undefined) return { changes: seen, after: first.after };
  const further = await read({ limit: mostFurther, after: first.after, now });
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
