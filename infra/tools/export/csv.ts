import type * as v from "valibot";
import { completeRecords } from "../../../shared/contract/records.ts";
import { decimal } from "../../../shared/contract/values.ts";
import type { CsvType } from "./selection.ts";

/** A column of a table: the path of a field, and whether it is a decimal number. */
interface Column {
  readonly path: readonly string[];
  readonly isDecimal: boolean;
}

const decimalNumber = /^-?\d+(\.\d+)?$/;
/** What spreadsheets take for the beginning of a formula. */
const formulaStart = /^[=+\-@\t\r]/;

/** A type's records as a table by RFC 4180: the first row, and the row of each line of the export. */
export function csvOf(type: CsvType) {
  const version = { path: ["version"], isDecimal: false };
  const columns = [...columnsOf(completeRecords[type].entries), version];
  return {
    header: rowOf(columns.map(({ path }) => path.join("."))),
    row: (line: string): string => {
      const record: unknown = JSON.parse(line);
      return rowOf(columns.map((column) => cellOf(valueAt(record, column.path), column.isDecimal)));
    },
  };
}

/** One column a field, of closed objects within one for each of theirs; open objects and lists are one column of JSON. */
function columnsOf(entries: v.ObjectEntries, within: readonly string[] = []): Column[] {
  return Object.entries(entries).flatMap(([name, schema]) => {
    const path = [...within, name];
    return isClosed(schema) ? columnsOf(schema.entries, path) : [{ path, isDecimal: schema === decimal }];
  });
}

function isClosed(schema: { readonly type: string }): schema is v.ObjectSchema<v.ObjectEntries, undefined> {
  return schema.type === "object";
}

function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    record,
  );
}

/** Text that a spreadsheet would run as a formula begins with an apostrophe; decimals are texts that stay numbers. */
function cellOf(value: unknown, isDecimal: boolean): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  if (isDecimal && decimalNumber.test(value)) return value;
  return formulaStart.test(value) ? `'${value}` : value;
}

function rowOf(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
}
