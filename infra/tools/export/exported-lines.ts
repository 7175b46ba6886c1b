import { type RecordType, recordTypes } from "../../../shared/contract/records.ts";
import { toUser, users } from "../../../shared/db/accounts/users.ts";
import { listedItems, toTenantFields } from "../../../shared/db/lists/listed-items.ts";
import { notifications } from "../../../shared/db/notifications/notifications.ts";
import { companies } from "../../../shared/db/records/companies.ts";
import type { RecordItem } from "../../../shared/db/table/entity.ts";
import { keyOf } from "../../../shared/db/table/item-keys.ts";
import type { Item, Key } from "../../../shared/db/table/table.ts";

/** A stored record as the import names it. */
export interface ExportedRecord {
  readonly type: RecordType;
  readonly id: number;
  /** Of a notification its user; 0 of all others, whose id is theirs alone. */
  readonly userId: number;
  /** The company of the record; undefined of a notification, of which only the user is known. */
  readonly companyId: number | null | undefined;
  /** The version of the record in the system it comes from (D35). */
  readonly version: number | undefined;
  /** The import's own fields but `type`, `id` and `version`. */
  readonly fields: object;
}

type Read = (item: Item) => Omit<ExportedRecord, "type" | "version"> & Pick<RecordItem, "version">;

const ownedByCompany =
  (list: keyof typeof listedItems): Read =>
  (item) => {
    const stored = listedItems[list].decode(item);
    const { id, ...fields } = toTenantFields(stored as never) as { id: number; company_id: number };
    return { id, userId: 0, companyId: fields.company_id, version: stored.version, fields };
  };

/** The reader and the keys of each type. */
const kinds: { readonly [T in RecordType]: { readonly matches: (key: Key) => boolean; readonly read: Read } } = {
  company: {
    matches: companies.matches,
    read(item) {
      const { id, name, version } = companies.decode(item);
      return { id, userId: 0, companyId: id, version, fields: { name } };
    },
  },
  user: {
    matches: users.matches,
    read(item) {
      const stored = users.decode(item);
      const { id, ...fields } = toUser(stored);
      return { id, userId: 0, companyId: stored.company_id, version: stored.version, fields };
    },
  },
  timesheet: { matches: listedItems.TIMESHEETS.matches, read: ownedByCompany("TIMESHEETS") },
  invoice: { matches: listedItems.INVOICES.matches, read: ownedByCompany("INVOICES") },
  job: { matches: listedItems.JOBS.matches, read: ownedByCompany("JOBS") },
  notification: {
    matches: notifications.matches,
    read(item) {
      const { id, user_id, record, version } = notifications.decode(item);
      return { id, userId: user_id, companyId: undefined, version, fields: { user_id, ...record } };
    },
  },
};

/** The record that a key names, as the import names it; undefined where it is no record of the import. */
export function namedByKey(key: Key): Pick<ExportedRecord, "type" | "id" | "userId"> | undefined {
  const type = typeOfKey(key);
  const [, alone] = key.pk.split("#");
  const [, within] = key.sk.split("#");
  if (!type) return undefined;
  return type === "notification"
    ? { type, id: Number(within), userId: Number(alone) }
    : { type, id: Number(alone), userId: 0 };
}

function typeOfKey(key: Key): RecordType | undefined {
  return recordTypes.find((type) => kinds[type].matches(key));
}

/** The record that an item holds; undefined of items that are no record of the import. */
export function readExported(item: Item): ExportedRecord | undefined {
  const type = typeOfKey(keyOf(item));
  return type && { type, version: undefined, ...kinds[type].read(item) };
}

/** A record as one line, which adds it to a table that does not have it. */
export function wholeLine({ type, id, version, fields }: ExportedRecord): string {
  return lineOf({ type, id, ...fields, ...(version !== undefined && { version }) });
}

/**
 * A record as lines that bring any table to it, whatever version that has: the fields win over a stored version, as a line
 * does that forgets it, and the version follows (D35).
 */
export function changedLines({ type, id, userId, version, fields }: ExportedRecord): string {
  const whole = lineOf({ type, id, ...fields, version: null });
  return version === undefined ? whole : `${whole}\n${lineOf({ ...idOf(type, id, userId), version })}`;
}

/** A removal as lines that make it in any table, and leave there the version it was made at. */
export function removedLines(type: RecordType, id: number, userId: number, version: number | undefined): string {
  const removal = { ...idOf(type, id, userId), deleted: true };
  return version === undefined ? lineOf(removal) : `${lineOf(removal)}\n${lineOf({ ...removal, version })}`;
}

function idOf(type: RecordType, id: number, userId: number) {
  return { type, id, ...(type === "notification" && { user_id: userId }) };
}

interface Line extends Readonly<Record<string, unknown>> {
  readonly type: RecordType;
  readonly id: number;
}

/** A line with `type` and `id` first and all else by name, at every depth: equal records are equal bytes. */
function lineOf({ type, id, ...fields }: Line): string {
  return JSON.stringify({ type, id, ...byName(fields) });
}

function byName(fields: object): object {
  const sorted = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, value]) => [name, sortedWithin(value)]));
}

function sortedWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedWithin);
  return typeof value === "object" && value !== null ? byName(value) : value;
}
