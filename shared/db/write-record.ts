import type { RecordType, RemovalLine, UpsertLine } from "../contract/records.ts";
import { removeNotification, saveNotification } from "../notifications/notifications.ts";
import { removeUser, saveUser, type UserWriteContext } from "../people/user-lines.ts";
import { removeCompany, saveCompany } from "../records/companies.ts";
import { removeListed, saveInvoice, saveJob, saveTimesheet } from "../records/merge.ts";
import type { Outcome, WriteContext } from "../table/plans.ts";

/** The writes of one type of record. */
interface Writes<T extends RecordType> {
  save(line: UpsertLine<T>, context: UserWriteContext): Promise<Outcome>;
  remove(line: RemovalLine<T>, context: WriteContext): Promise<Outcome>;
}

const writes: { readonly [T in RecordType]: Writes<T> } = {
  company: { save: saveCompany, remove: removeCompany },
  user: { save: saveUser, remove: removeUser },
  timesheet: { save: saveTimesheet, remove: (line, context) => removeListed("TIMESHEETS", line, context) },
  invoice: { save: saveInvoice, remove: (line, context) => removeListed("INVOICES", line, context) },
  job: { save: saveJob, remove: (line, context) => removeListed("JOBS", line, context) },
  notification: { save: saveNotification, remove: removeNotification },
};

/**
 * Writes a validated line of an import or event to its record (D35). Safe to repeat and to run in parallel. Refuses
 * with `fields_invalid` if the merged record is incomplete or if another user has its login or profile. Refuses with
 * `busy` after many lost races.
 */
export function writeRecord<T extends RecordType>(
  line: (UpsertLine<T> | RemovalLine<T>) & { readonly type: T },
  context: UserWriteContext,
): Promise<Outcome> {
  const { save, remove }: Writes<T> = writes[line.type];
  return "deleted" in line ? remove(line, context) : save(line, context);
}
