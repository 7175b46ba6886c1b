import { type RecordType, recordTypes } from "../../../shared/contract/records.ts";
import { notifications } from "../../../shared/notifications/notifications.ts";
import { toUser, users } from "../../../shared/people/users.ts";
import { companies } from "../../../shared/records/companies.ts";
import { listedItems, toTenantFields } from "../../../shared/records/items.ts";
import type { Item, Key } from "../../../shared/table/table.ts";
import { keyOf } from "../../../shared/table/table.ts";

/** The record that a key names, as the import names it. */
export interface NamedRecord {
  readonly type: RecordType;
  readonly id: number;
  /** Of a notification its user; 0 of all others, whose id is theirs alone. */
  readonly userId: number;
}

/** A stored record as the import names it. */
export interface ExportedRecord extends NamedRecord {
  /** The version of the record in the system it comes from (D35). */
  readonly version?: number | undefined;
  /** The company of the record; undefined of a notification, of which only the user is known. */
  readonly companyId?: number | null | undefined;
  /** The import's own fields but `type` and `version`. */
  readonly fields: object;
}

interface Kind {
  /** The beginning of its sort keys. */
  readonly keyStart: string;
  matches(key: Key): boolean;
  read(item: Item): Pick<ExportedRecord, "version" | "companyId" | "fields">;
}

function listed(list: keyof typeof listedItems, keyStart: string): Kind {
  const { matches, decode } = listedItems[list];
  return {
    keyStart,
    matches,
    read(item) {
      const stored = decode(item);
      return { version: stored.version, companyId: stored.company_id, fields: toTenantFields(stored as never) };
    },
  };
}

/** The reader and the keys of each type. */
const kinds: Readonly<Record<RecordType, Kind>> = {
  company: {
    keyStart: "COMPANY",
    matches: companies.matches,
    read(item) {
      const { id, name, version } = companies.decode(item);
      return { version, companyId: id, fields: { name } };
    },
  },
  user: {
    keyStart: "USER",
    matches: users.matches,
    read(item) {
      const stored = users.decode(item);
      return { version: stored.version, companyId: stored.company_id, fields: toUser(stored) };
    },
  },
  timesheet: listed("TIMESHEETS", "TIMESHEET"),
  invoice: listed("INVOICES", "INVOICE"),
  job: listed("JOBS", "JOB"),
  notification: {
    keyStart: "NOTIFICATION#",
    matches: notifications.matches,
    read(item) {
      const { user_id, record, version } = notifications.decode(item);
      return { version, fields: { user_id, ...record } };
    },
  },
};

/** The beginning of the sort keys of a type's records. */
export function keyStartOf(type: RecordType): string {
  return kinds[type].keyStart;
}

/** The record that a key names; undefined where it is no record of the import. */
export function namedByKey(key: Key): NamedRecord | undefined {
  const type = recordTypes.find((each) => kinds[each].matches(key));
  const [, alone] = key.pk.split("#");
  const [, within] = key.sk.split("#");
  if (!type) return undefined;
  return type === "notification"
    ? { type, id: Number(within), userId: Number(alone) }
    : { type, id: Number(alone), userId: 0 };
}

/** The record that an item holds; undefined of items that are no record of the import. */
export function readExported(item: Item): ExportedRecord | undefined {
  const named = namedByKey(keyOf(item));
  return named && { ...named, ...kinds[named.type].read(item) };
}

/** A record as one line, which adds it to a table that does not have it. */
export function wholeLine({ type, id, version, fields }: ExportedRecord): string {
  return lineOf({ ...fields, type, id, ...(version !== undefined && { version }) });
}

/**
 * A record as lines that bring any table to it, whatever version that has: the fields win over a stored version, as a line
 * does that forgets it, and the version follows (D35).
 */
export function changedLines({ fields, version, ...named }: ExportedRecord): string {
  const { type, id } = named;
  const whole = lineOf({ ...fields, type, id, version: null });
  return version === undefined ? whole : `${whole}\n${lineOf({ ...idOf(named), version })}`;
}

/** A removal as lines that make it in any table, and leave there the version it was made at. */
export function removedLines(named: NamedRecord, version: number | undefined): string {
  const removal = { ...idOf(named), deleted: true };
  return version === undefined ? lineOf(removal) : `${lineOf(removal)}\n${lineOf({ ...removal, version })}`;
}

function idOf({ type, id, userId }: NamedRecord) {
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
  const values = fields as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(values)
      .sort()
      .map((name) => [name, sortedWithin(values[name])]),
  );
}

function sortedWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedWithin);
  return typeof value === "object" && value !== null ? byName(value) : value;
}
