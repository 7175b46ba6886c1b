import type { CompleteRecord, RecordLine, RecordType, UpsertLine } from "../../contract/records.ts";
import { calendarDateIn } from "../../domain/records/business-day.ts";
import type { ListName } from "../../domain/records/list-place.ts";
import { mergeCompany, mergeInvoice, mergeJob, mergeTimesheet } from "../../domain/records/record-merge.ts";
import { settings } from "../../settings.ts";
import { listKeys } from "../lists/list-keys.ts";
import { type RecordKind, recordKey } from "../table/keys.ts";
import type { Item, Key } from "../table/table.ts";
import { deleteItem, isSameItem, type Outcome, replaceItem, type WriteContext } from "../writes/changes.ts";
import { removeRecord, upsertRecord } from "../writes/record-changes.ts";

/** Access pattern W1: adds or changes a company. One read unit, with a version two; one write unit. */
export function saveCompany(line: UpsertLine<"company">, context: WriteContext): Promise<Outcome> {
  const key = recordKey("COMPANY", line.id);
  return upsertRecord(key, line, context, (stored) => {
    const company = mergeCompany(stored as CompleteRecord<"company"> | undefined, line);
    const next = { ...stored, ...key, ...company, version: line.version ?? stored?.version };
    return saveItem(stored, next, context);
  });
}

/** Access pattern W2: adds or changes a timesheet. One read unit; one write unit, and two for its indexes. */
export function saveTimesheet(line: UpsertLine<"timesheet">, context: WriteContext): Promise<Outcome> {
  return saveListed("TIMESHEET", "TIMESHEETS", line, context, (stored: CompleteRecord<"timesheet"> | undefined) =>
    mergeTimesheet(stored, line),
  );
}

/** Access pattern W3: adds or changes an invoice. Costs as W2. */
export function saveInvoice(line: UpsertLine<"invoice">, context: WriteContext): Promise<Outcome> {
  return saveListed("INVOICE", "INVOICES", line, context, (stored: CompleteRecord<"invoice"> | undefined) =>
    mergeInvoice(stored, line, context.now, () => calendarDateIn(settings.businessTimeZone(), context.now)),
  );
}

/** Access pattern W4: adds or changes a job; its timer stays. Costs as W2. */
export function saveJob(line: UpsertLine<"job">, context: WriteContext): Promise<Outcome> {
  return saveListed("JOB", "JOBS", line, context, (stored: CompleteRecord<"job"> | undefined) =>
    mergeJob(stored, line, context.now),
  );
}

/** Access pattern W5: removes an item that stands for itself; what is not there is `unchanged`. */
export function removeItem(
  key: Key,
  line: { readonly version?: number | undefined },
  context: WriteContext,
): Promise<Outcome> {
  return removeRecord(key, line, context, (stored) => [deleteItem(stored)]);
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
  return upsertRecord(key, line, context, (stored) => {
    const { id, company_id, ...record } = merge(stored && toWhole<Whole>(stored));
    const keys = listKeys(list, company_id, { ...record, id });
    const version = line.version ?? stored?.version;
    return saveItem(stored, { ...stored, ...key, id, company_id, record, ...keys, version }, context);
  });
}

/** The change that stores an item unless it is stored like that already. */
function saveItem(stored: Item | undefined, next: Item, context: WriteContext) {
  if (isSameItem(stored, next)) return { outcome: "unchanged" } as const;
  return { outcome: stored ? "updated" : "created", writes: [replaceItem(stored, next, context)] } as const;
}

function toWhole<Whole>({ id, company_id, record }: Item): Whole {
  return { id, company_id, ...(record as object) } as Whole;
}
