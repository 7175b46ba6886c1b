import { isDeepStrictEqual } from "node:util";
import { type StoredUser, users } from "../../shared/people/users.ts";
import type { FieldValues, RecordedType } from "../../shared/records/history.ts";
import { isListedKind, type ListedKind, listedItems, listsByKind } from "../../shared/records/items.ts";
import type { Item, Key } from "../../shared/table/table.ts";

/** The data of a record that its history compares. */
export interface RecordedFields {
  readonly fields: FieldValues;
  readonly company_id: number | undefined;
  /** The number of changes of password and passcode. The history keeps nothing else about them. */
  readonly secrets: { readonly password?: number; readonly passcode?: number };
}

const types = { TIMESHEET: "timesheet", INVOICE: "invoice", JOB: "job" } as const;

/** The type of a record, by its key. Throws on other keys. */
export function typeOfRecord({ sk }: Key): Exclude<RecordedType, "session" | "import"> {
  if (sk === "USER") return "user";
  if (isListedKind(sk)) return types[sk];
  throw new Error("The key is not of a record that has a history");
}

/** The fields of a stored record as its history names them. */
export function recordedFieldsOf({ sk }: Key, item: Item): RecordedFields {
  return isListedKind(sk) ? listedFieldsOf(sk, item) : userFieldsOf(users.decode(item));
}

function listedFieldsOf(kind: ListedKind, item: Item): RecordedFields {
  const { company_id, record, timer, timer_expires_at } = listedItems[listsByKind[kind]].decode(item);
  return { fields: { company_id, ...record, timer, timer_expires_at }, company_id, secrets: {} };
}

/** A new password raises `session_epoch`. */
function userFieldsOf(stored: StoredUser): RecordedFields {
  const { record, session_epoch: password = 0, passcode_changes: passcode = 0 } = stored;
  return { fields: { ...record }, company_id: undefined, secrets: { password, passcode } };
}

/** Names the secrets that have changed. */
function newSecrets({ secrets: before }: RecordedFields, { secrets: after }: RecordedFields): string[] {
  return [
    ...(before.password === after.password ? [] : ["password"]),
    ...(before.passcode === after.passcode ? [] : ["passcode"]),
  ];
}

/**
 * The fields of a removed user that are kept, because they identify nobody by themselves. The number of the profile
 * shows in which timesheets the person must be forgotten.
 */
export function impersonal(type: RecordedType, fields: FieldValues): FieldValues {
  if (type !== "user") return fields;
  const { role, financial_company_id, profile_id, password, passcode } = fields;
  return { role, financial_company_id, profile_id, password, passcode };
}

/** The fields in which two states of a record differ, before and after; undefined if they do not differ. */
export function differenceOf(before: RecordedFields, after: RecordedFields) {
  const names = new Set([...Object.keys(before.fields), ...Object.keys(after.fields)]);
  const valueIn = (fields: FieldValues, name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
  const isSame = (name: string) => isDeepStrictEqual(valueIn(before.fields, name), valueIn(after.fields, name));
  const changed = [...names].filter((name) => !isSame(name)).toSorted();
  const secrets = newSecrets(before, after);
  if (changed.length + secrets.length === 0) return undefined;
  const pick = (fields: FieldValues) => Object.fromEntries(changed.map((name) => [name, valueIn(fields, name)]));
  const marks = Object.fromEntries(secrets.map((name) => [name, "changed"]));
  return { before: pick(before.fields), after: { ...pick(after.fields), ...marks } };
}
