import type { RecordType } from "../../../shared/contract/records.ts";
import { type Column, columnsOf, nameOf } from "../csv/columns.ts";
import { guarded } from "../csv/formula-guards.ts";
import { rowOf } from "../csv/rows.ts";

const decimalNumber = /^-?\d+(\.\d+)?$/;

/** A type's records as a table by RFC 4180: the first row, and the row of each line of the export. */
export function csvOf(type: RecordType) {
  const columns = columnsOf(type);
  return {
    header: rowOf(columns.map(nameOf)),
    row: (line: string): string => {
      const record: unknown = JSON.parse(line);
      return rowOf(columns.map((column) => cellOf(record, column)));
    },
  };
}

/** Numbers stay numbers, also those that are texts, for sums. */
function cellOf(record: unknown, { path, kind }: Column): string {
  const value = path.reduce<unknown>((within, name) => (within as Record<string, unknown> | undefined)?.[name], record);
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isNumber = typeof value === "number" || (kind === "decimal" && decimalNumber.test(text));
  return isNumber ? text : guarded(text);
}
