import type { CountryCode } from "libphonenumber-js/min";
import type * as v from "valibot";
import {
  type RecordLine,
  type RecordType,
  type RemovalLine,
  recordTypes,
  removalLines,
  type UpsertLine,
  upsertLines,
} from "./contract/records.ts";
import { type FieldFault, fieldsInvalid, forbiddenKeys } from "./contract/refusals.ts";
import { removeNotification, saveNotification } from "./notifications/notifications.ts";
import { parseLogin } from "./people/typed-login.ts";
import { removeUser, saveUser, type UserWriteContext } from "./people/write-user.ts";
import { removeCompany, saveCompany } from "./records/companies.ts";
import { parseComplete, removeListed, saveInvoice, saveJob, saveTimesheet } from "./records/merge.ts";
import type { Outcome, WriteContext } from "./table/plans.ts";

/**
 * Reads a record of an import or event. Refuses with `fields_invalid` and names each invalid field. Returns e-mail
 * addresses and phone numbers in their normal form (D7, D35).
 */
export function parseRecordLine(value: unknown, defaultCountry: CountryCode): RecordLine {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw fieldsInvalid([{ path: [], code: "wrong_type", detail: "must be an object" }]);
  }
  refuseForbiddenNames(value);
  const { type } = value as { type?: unknown };
  const known = recordTypes.find((name) => name === type);
  if (known === undefined) {
    const code = type === undefined ? "missing" : "not_allowed";
    throw fieldsInvalid([{ path: ["type"], code, detail: `must be one of ${recordTypes.join(", ")}` }]);
  }
  const schemas = Object.hasOwn(value, "deleted") ? removalLines : upsertLines;
  const line = asStored(parseComplete(schemas[known] as v.GenericSchema<unknown, RecordLine>, value));
  return line.type === "user" && !("deleted" in line) ? withNormalLogins(line, defaultCountry) : line;
}

/**
 * The key of the lines that are applied one after the other: those of a record, and the notifications of a user, which
 * share one item of counts.
 */
export function turnOf(line: RecordLine): string {
  return line.type === "notification" ? `user#${line.user_id}` : `${line.type}#${line.id}`;
}

/** Refuses forbidden names at any depth with `fields_invalid` (D33). */
export function refuseForbiddenNames(value: unknown): void {
  const faults = forbiddenKeys(value);
  if (faults.length > 0) throw fieldsInvalid(faults);
}

/** A parsed value with 0 in place of JSON's `-0`, at any depth, as the table keeps it. */
function asStored<T>(parsed: T): T {
  if (parsed === 0) return 0 as T;
  if (typeof parsed !== "object" || parsed === null) return parsed;
  if (Array.isArray(parsed)) return parsed.map(asStored) as T;
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, asStored(value)])) as T;
}

function withNormalLogins(line: UpsertLine<"user">, defaultCountry: CountryCode): UpsertLine<"user"> {
  const faults: FieldFault[] = [];
  const normal = (field: "email" | "phone_number", channel: "email" | "sms", detail: string) => {
    const typed = line[field];
    if (typeof typed !== "string") return {};
    const login = parseLogin(typed, defaultCountry);
    if (login?.channel !== channel) faults.push({ path: [field], code: "invalid", detail });
    return { [field]: login?.value };
  };
  const email = normal("email", "email", "must be an e-mail address");
  const phone = normal("phone_number", "sms", "must be a phone number, with its country code if it is abroad");
  if (faults.length > 0) throw fieldsInvalid(faults);
  return { ...line, ...email, ...phone };
}

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
