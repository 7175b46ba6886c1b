import type { RecordLine, RecordType, UpsertLine, WholeRecord } from "../contract/records.ts";
import { mergeCompany, mergeInvoice, mergeJob, mergeTimesheet } from "../domain/record-merge.ts";
import {
  changeItem,
  deleteItem,
  isSameItem,
  isStale,
  type Outcome,
  replaceItem,
  type WriteContext,
} from "./changes.ts";
import { type RecordKind, recordKey } from "./keys.ts";
import { jobListState, type ListName, listKeys } from "./lists.ts";
import type { Item, Key } from "./table.ts";

/** Access pattern W1: adds or changes a company. One read unit, one write unit. */
export function saveCompany(line: UpsertLine<"company">, context: WriteContext): Promise<Outcome> {
  const key = recordKey("COMPANY", line.id);
  return changeItem(key, context, (stored) => {
    if (isStale(line, stored)) return { outcome: "stale" };
    const company = mergeCompany(stored as WholeRecord<"company"> | undefined, line);
    const next = { ...stored, ...key, ...company, version: line.version ?? stored?.version };
    return saveItem(stored, next);
  });
}

/** Access pattern W2: adds or changes a timesheet. One read unit; one write unit, and two for its indexes. */
export function saveTimesheet(line: UpsertLine<"timesheet">, context: WriteContext): Promise<Outcome> {
  return saveListed("TIMESHEET", "TIMESHEETS", line, context, (stored: WholeRecord<"timesheet"> | undefined) =>
    mergeTimesheet(stored, line),
  );
}

/** Access pattern W3: adds or changes an invoice. Costs as W2. */
export function saveInvoice(line: UpsertLine<"invoice">, context: WriteContext): Promise<Outcome> {
  return saveListed("INVOICE", "INVOICES", line, context, (stored: WholeRecord<"invoice"> | undefined) =>
    mergeInvoice(stored, line, context.now),
  );
}

/** Access pattern W4: adds or changes a job; its timer stays. Costs as W2. */
export function saveJob(line: UpsertLine<"job">, context: WriteContext): Promise<Outcome> {
  return saveListed("JOB", "JOBS", line, context, (stored: WholeRecord<"job"> | undefined) =>
    mergeJob(stored, line, context.now),
  );
}

/** Access pattern W5: removes an item that stands for itself; what is not there is `unchanged`. */
export function removeItem(
  key: Key,
  line: { readonly version?: number | undefined },
  context: WriteContext,
): Promise<Outcome> {
  return changeItem(key, context, (stored) => {
    if (!stored) return { outcome: "unchanged" };
    if (isStale(line, stored)) return { outcome: "stale" };
    return { outcome: "removed", writes: [deleteItem(stored)] };
  });
}

interface Owned {
  readonly id: number;
  readonly company_id: number;
  readonly state?: string;
}

function saveListed<Whole extends Owned>(
  kind: RecordKind,
  list: ListName,
  line: RecordLine<RecordType> & { readonly id: number },
  context: WriteContext,
  merge: (stored: Whole | undefined) => Owned,
): Promise<Outcome> {
  const key = recordKey(kind, line.id);
  return changeItem(key, context, (stored) => {
    if (isStale(line, stored)) return { outcome: "stale" };
    const { id, company_id, ...record } = merge(stored && toWhole<Whole>(stored));
    const keys = listKeys(list, company_id, record.state ?? jobListState);
    const version = line.version ?? stored?.version;
    return saveItem(stored, { ...stored, ...key, id, company_id, record, ...keys, version });
  });
}

/** The change that stores an item unless it is stored like that already. Who changed it before did not change this. */
function saveItem(stored: Item | undefined, next: Item) {
  if (isSameItem(stored, next)) return { outcome: "unchanged" } as const;
  const writes = [replaceItem(stored, { ...next, changed_by: undefined })];
  return { outcome: stored ? "updated" : "created", writes } as const;
}

function toWhole<Whole>({ id, company_id, record }: Item): Whole {
  return { id, company_id, ...(record as object) } as Whole;
}
