import { readFileSync } from "node:fs";
import * as v from "valibot";
import type { RecordType } from "../../../shared/contract/records.ts";
import { timeZone } from "../../stages/setting-values.ts";
import { orMistake, UsageError, unknownWord } from "../cli/command.ts";
import { type Column, columnsOf, nameOf } from "../csv/tables.ts";

/** The parts of a date in a format, by their names there. */
const dateParts = { YYYY: 4, MM: 2, DD: 2, HH: 2, mm: 2, ss: 2 } as const;

const msPerDay = 24 * 60 * 60_000;

const dateFormat = v.pipe(
  v.string(),
  v.regex(/^(YYYY|MM|DD|HH|mm|ss|[./:T -])+$/, "takes YYYY, MM, DD, HH, mm and ss; MM and DD read 3 and 03"),
);

const mapShape = v.strictObject({
  columns: v.record(v.string(), v.union([v.string(), v.array(v.string())])),
  constants: v.optional(v.record(v.string(), v.unknown()), {}),
  values: v.optional(v.record(v.string(), v.record(v.string(), v.string())), {}),
  dates: v.optional(v.union([dateFormat, v.record(v.string(), dateFormat)])),
  // Sweden writes times as ISO 8601 does.
  timeZone: v.optional(
    v.pipe(
      v.config(timeZone, { message: "takes an IANA time zone, such as Europe/London" }),
      v.transform(
        (timeZone) => new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }),
      ),
    ),
  ),
  decimals: v.optional(v.picklist([",", "."])),
  separator: v.optional(v.picklist([",", ";", "\t"]), ","),
  encoding: v.optional(v.picklist(["utf-8", "windows-1252"]), "utf-8"),
});

/** The way from the columns of another system's table to the fields of a type. */
export type ColumnMap = v.InferOutput<typeof mapShape>;

/** Reads the file of a map. Throws `UsageError` with a sentence if it is none for the type. */
export function readColumnMap(file: string, type: RecordType): ColumnMap {
  const read: unknown = orMistake(`Cannot read the map ${file}: `, () => JSON.parse(readFileSync(file, "utf8")));
  const result = v.safeParse(mapShape, read);
  const [issue] = result.issues ?? [];
  if (issue) throw new UsageError(`${file}: ${v.getDotPath(issue) ?? "the map"}: ${issue.message}`);
  const map = result.output as ColumnMap;
  const fields = columnsOf(type, { opened: true }).map(nameOf);
  const { columns, constants, values, dates } = map;
  const formats = typeof dates === "object" ? dates : {};
  const filled = [constants, values, formats].flatMap((each) => Object.keys(each));
  for (const name of [...Object.values(columns).flat(), ...filled]) {
    if (!fields.includes(name)) throw unknownWord(`field of type ${type}`, name, fields);
  }
  return map;
}

/** For each field that a column fills: the column's name, and the form or the words of its cells if the map has any. */
export function hintsOf(map: ColumnMap, type: RecordType): ReadonlyMap<string, string> {
  const kinds = new Map(columnsOf(type, { opened: true }).map((column) => [nameOf(column), column.kind]));
  const hintOf = (column: string, field: string) => {
    const date = formatOf(map, field);
    const forms = { decimal: map.decimals && `1250${map.decimals}00`, date, time: date };
    const kind = kinds.get(field) ?? "text";
    const form = kind in forms ? forms[kind as keyof typeof forms] : Object.keys(map.values[field] ?? {}).join(", ");
    return [field, `column ${column}${form ? `: ${form}` : ""}`] as const;
  };
  return new Map(
    Object.entries(map.columns).flatMap(([column, fields]) => [fields].flat().map((field) => hintOf(column, field))),
  );
}

/** A cell as the field has it. One that does not have the map's format stays as it is. */
export function mappedValue(cell: string, column: Column, map: ColumnMap): string {
  const text = cell.trim();
  const value = map.values[nameOf(column)]?.[text] ?? text;
  if (column.kind === "decimal" && map.decimals) return withPoint(value, map.decimals);
  const format = formatOf(map, nameOf(column));
  return (column.kind === "date" || column.kind === "time") && format
    ? dateOf(value, format, column.kind, map.timeZone)
    : value;
}

function formatOf({ dates }: ColumnMap, field: string): string | undefined {
  return typeof dates === "object" ? dates[field] : dates;
}

/**
 * Separators of thousands go where each has three digits after it. A cell of another form loses its points, because with one it
 * might be a decimal of the interface: the import refuses it.
 */
function withPoint(text: string, decimalSign: "," | "."): string {
  const forms = {
    ",": /^-?(\d+|\d{1,3}([.'\s])\d{3}(\2\d{3})*)(,\d+)?$/,
    ".": /^-?(\d+|\d{1,3}([,'\s])\d{3}(\2\d{3})*)(\.\d+)?$/,
  };
  if (!forms[decimalSign].test(text)) return text.replaceAll(".", decimalSign);
  const [whole = "", ...decimals] = text.split(decimalSign);
  return [whole.replaceAll(/[^\d-]/g, ""), ...decimals].join(".");
}

function dateOf(text: string, format: string, kind: "date" | "time", zone: Intl.DateTimeFormat | undefined): string {
  const pattern = format.replaceAll(".", "\\.").replaceAll(/YYYY|MM|DD|HH|mm|ss/g, (part) => `(?<${part}>\\d{1,4})`);
  const found = new RegExp(`^${pattern}$`).exec(text)?.groups;
  if (!found) return text;
  const [year, month, day, ...time] = Object.entries(dateParts).map(([part, digits]) =>
    (found[part] ?? "").padStart(digits, "0"),
  );
  const date = `${year}-${month}-${day}`;
  if (kind === "date") return date;
  const clock = `${date}T${time.join(":")}`;
  return zone === undefined ? `${clock}.000Z` : (momentOf(clock, zone) ?? text);
}

/** The moment at which clocks of a zone show a time; the first of two, undefined if none does. */
function momentOf(clock: string, zone: Intl.DateTimeFormat): string | undefined {
  const shown = (ms: number) => zone.format(ms).replace(" ", "T");
  const ms = Date.parse(`${clock}Z`);
  if (Number.isNaN(ms)) return undefined;
  // The offsets of the day before and the day after: they differ where clocks change.
  const offsets = [-1, 1].map((days) => ms + days * msPerDay).map((near) => Date.parse(`${shown(near)}Z`) - near);
  const found = offsets.map((offset) => ms - offset).find((moment) => shown(moment) === clock);
  return found === undefined ? undefined : new Date(found).toISOString();
}
