import type { RecordLine, RemovalLine, UpsertLine } from "../contract/records.ts";
import { removeUser } from "./accounts/user-removal.ts";
import { saveUser } from "./accounts/user-writes.ts";
import { removeNotification, saveNotification } from "./notifications/notification-writes.ts";
import { removeItem, saveCompany, saveInvoice, saveJob, saveTimesheet } from "./records/listed-records.ts";
import { recordKey } from "./table/keys.ts";
import type { Outcome, WriteContext } from "./writes/changes.ts";

/**
 * Writes what a validated line says about its record, from import or event (D35). Safe to repeat and to run in parallel.
 * Refuses with `fields_invalid` where the merged record is not whole or a login or profile is another user's, and with
 * `busy` after many lost races.
 */
export function writeRecord(line: RecordLine, context: WriteContext): Promise<Outcome> {
  return "deleted" in line ? remove(line, context) : save(line, context);
}

function save(line: UpsertLine<RecordLine["type"]>, context: WriteContext): Promise<Outcome> {
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
      return removeItem(recordKey("COMPANY", line.id), line, context);
    case "user":
      return removeUser(line, context);
    case "timesheet":
      return removeItem(recordKey("TIMESHEET", line.id), line, context);
    case "invoice":
      return removeItem(recordKey("INVOICE", line.id), line, context);
    case "job":
      return removeItem(recordKey("JOB", line.id), line, context);
    case "notification":
      return removeNotification(line, context);
  }
}
