import { readFileSync } from "node:fs";
import * as v from "valibot";
import type { RecordType } from "../../../shared/contract/records.ts";
import { UsageError, unknownWord } from "../cli/command.ts";
import { type Column, columnsOf, nameOf } from "../csv/columns.ts";

/** The parts of a date in a format, by their names there. */
const dateParts = { YYYY: 4, MM: 2, DD: 2, HH: 2, mm: 2, ss: 2 } as const;

const mapShape = v.strictObject({
  /** The field, or fields, that a column fills. Columns that are not named are left out. */
  columns: v.record(v.string(), v.union([v.string(), v.array(v.string())])),
  /** The values of fields that are the same in each record. */
  constants: v.optional(v.record(v.string(), v.unknown()), {}),
  /** The words of a column for the values of a field, such as its states. */
  values: v.optional(v.record(v.string(), v.record(v.string(), v.string())), {}),
  /** The format of dates, such as `DD.MM.YYYY`. */
  dates: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^(YYYY|MM|DD|HH|mm|ss|[./:T -])+$/, "takes YYYY, MM, DD, HH, mm and ss; MM and DD read 3 and 03"),
    ),
  ),
  /** The decimal sign of amounts. Thousands may have a separator. */
  decimals: v.optional(v.picklist([",", "."])),
  separator: v.optional(v.picklist([",", ";", "\t"]), ","),
  encoding: v.optional(v.picklist(["utf-8", "windows-1252"]), "utf-8"),
});

/** The way from the columns of another system's table to the fields of a type. */
export type ColumnMap = v.InferOutput<typeof mapShape>;

/** Reads the file of a map. Throws `UsageError` with a sentence if it is none for the type. */
export function readColumnMap(file: string, type: RecordType): ColumnMap {
  const result = v.safeParse(mapShape, readJson(file));
  const [issue] = result.issues ?? [];
  if (issue) throw new UsageError(`${file}: ${v.getDotPath(issue) ?? "the map"}: ${issue.message}`);
  const map = result.output as ColumnMap;
  const fields = columnsOf(type).map(nameOf);
  const { columns, constants, values } = map;
  for (const name of [...Object.values(columns).flat(), ...Object.keys({ ...constants, ...values })]) {
    if (!fields.includes(name)) throw unknownWord(`field of type ${type}`, name, fields);
  }
  return map;
}

/** For each field that a column fills: the column's name, and the form or the words of its cells if the map has any. */
export function hintsOf(map: ColumnMap, type: RecordType): ReadonlyMap<string, string> {
  const forms = { decimal: map.decimals && `1250${map.decimals}00`, date: map.dates, time: map.dates };
  const kinds = new Map(columnsOf(type).map((column) => [nameOf(column), column.kind]));
  const hintOf = (column: string, field: string) => {
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
  return (column.kind === "date" || column.kind === "time") && map.dates
    ? dateOf(value, map.dates, column.kind)
    : value;
}

/** Separators of thousands go where each has three digits after it. A cell of another form stays, and is no decimal. */
function withPoint(text: string, decimalSign: "," | "."): string {
  const forms = {
    ",": /^-?(\d+|\d{1,3}([.'\s])\d{3}(\2\d{3})*)(,\d+)?$/,
    ".": /^-?(\d+|\d{1,3}([,'\s])\d{3}(\2\d{3})*)(\.\d+)?$/,
  };
  if (!forms[decimalSign].test(text)) return text.replaceAll(".", decimalSign);
  const [whole = "", ...decimals] = text.split(decimalSign);
  return [whole.replaceAll(/[^\d-]/g, ""), ...decimals].join(".");
}

function dateOf(text: string, format: string, kind: "date" | "time"): string {
  const pattern = format.replaceAll(".", "\\.").replaceAll(/YYYY|MM|DD|HH|mm|ss/g, (part) => `(?<${part}>\\d{1,4})`);
  const found = new RegExp(`^${pattern}$`).exec(text)?.groups;
  if (!found) return text;
  const [year, month, day, ...time] = Object.entries(dateParts).map(([part, digits]) =>
    (found[part] ?? "").padStart(digits, "0"),
  );
  const date = `${year}-${month}-${day}`;
  return kind === "date" ? date : `${date}T${time.join(":")}.000Z`;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`Cannot read the map ${file}: ${error instanceof Error ? error.message : error}`);
  }
}
