import type { RecordLine, RemovalLine, UpsertLine } from "../contract/records.ts";
import { removeUser } from "./accounts/user-removal.ts";
import { saveUser, type UserWriteContext } from "./accounts/user-writes.ts";
import { removeNotification, saveNotification } from "./notifications/notification-writes.ts";
import { removeCompany, saveCompany } from "./records/companies.ts";
import { removeListed, saveInvoice, saveJob, saveTimesheet } from "./records/listed-records.ts";
import type { Outcome, WriteContext } from "./writes/write-plans.ts";

/**
 * Writes a validated line of an import or event to its record (D35). Safe to repeat and to run in parallel. Refuses
 * with `fields_invalid` if the merged record is incomplete or if another user has its login or profile. Refuses with
 * `busy` after many lost races.
 */
export function writeRecord(line: RecordLine, context: UserWriteContext): Promise<Outcome> {
  return "deleted" in line ? remove(line, context) : save(line, context);
}

function save(line: UpsertLine<RecordLine["type"]>, context: UserWriteContext): Promise<Outcome> {
  switch (line.type) {
    case "company":
      return saveCompany(line, context);
    case "user":
      return saveUser(line, context);
    case "timesheet":
      return saveTimesheet(line, context);
    case "invoice":
      return saveInvoice(line, context);
    case "job":
      return saveJob(line, context);
    case "notification":
      return saveNotification(line, context);
  }
}

function remove(line: RemovalLine<RecordLine["type"]>, context: WriteContext): Promise<Outcome> {
  switch (line.type) {
    case "company":
      return removeCompany(line, context);
    case "user":
      return removeUser(line, context);
    case "timesheet":
      return removeListed("TIMESHEETS", line, context);
    case "invoice":
      return removeListed("INVOICES", line, context);
    case "job":
      return removeListed("JOBS", line, context);
    case "notification":
      return removeNotification(line, context);
  }
}
