import type { RecordType, RemovalLine, UpsertLine } from "../../contract/records.ts";
import { calendarDateIn } from "../../domain/records/business-day.ts";
import { mergeInvoice, mergeJob, mergeTimesheet } from "../../domain/records/record-merge.ts";
import { settings } from "../../run/settings.ts";
import type { ListName } from "../../table/counters.ts";
import type { Outcome, WriteContext } from "../../table/plans.ts";
import { removeRecord, upsertRecord } from "../../table/record-plans.ts";
import { listWrites } from "../lists/list-writes.ts";
import { fromTenantFields, listedItems, listedKey, type TenantFields, toTenantFields } from "../lists/listed-items.ts";

/** Access pattern W2: adds or changes a timesheet. One read unit; one write unit, and two for its indexes. */
export function saveTimesheet(line: UpsertLine<"timesheet">, context: WriteContext): Promise<Outcome> {
  return saveListed("TIMESHEETS", line, context, (stored) => mergeTimesheet(stored, line));
}

/** Access pattern W3: adds or changes an invoice. Costs as W2. */
export function saveInvoice(line: UpsertLine<"invoice">, context: WriteContext): Promise<Outcome> {
  const today = () => calendarDateIn(settings.businessTimeZone(), context.now);
  return saveListed("INVOICES", line, context, (stored) => mergeInvoice(stored, line, context.now, today));
}

/** Access pattern W4: adds or changes a job and keeps its timer. Costs as W2. */
export function saveJob(line: UpsertLine<"job">, context: WriteContext): Promise<Outcome> {
  return saveListed("JOBS", line, context, (stored) => mergeJob(stored, line, context.now));
}

/** Access pattern W5: removes a timesheet, invoice or job. The outcome is `unchanged` if there is none. */
export function removeListed<L extends ListName>(
  list: L,
  line: RemovalLine<RecordType>,
  context: WriteContext,
): Promise<Outcome> {
  return removeRecord(listedItems[list], listedKey(list, line.id), line, context, (stored) =>
    listWrites(list, stored, undefined),
  );
}

function saveListed<L extends ListName>(
  list: L,
  line: UpsertLine<RecordType>,
  context: WriteContext,
  merge: (stored: TenantFields<L> | undefined) => TenantFields<L>,
): Promise<Outcome> {
  return upsertRecord(listedItems[list], listedKey(list, line.id), line, context, (stored) => {
    const next = fromTenantFields(list, merge(stored && toTenantFields(stored)), stored);
    return { next, ...listWrites(list, stored, next) };
  });
}
