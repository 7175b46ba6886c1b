import type * as v from "valibot";
import { timelog } from "../../../shared/contract/finance.ts";
import { completeRecords, type RecordType } from "../../../shared/contract/records.ts";
import { calendarDate, decimal, timestamp } from "../../../shared/contract/values.ts";

/** A column of a table of records: the path of a field, and what its cells hold. */
export interface Column {
  readonly path: readonly string[];
  readonly kind: "text" | "number" | "decimal" | "date" | "time" | "duration" | "json";
  readonly isNullable: boolean;
}

/**
 * The columns of a type: one for each field, and for each field of a closed object. An open object or a list is one
 * column of JSON; `opened` adds the known fields of an open object.
 */
export function columnsOf(type: RecordType, { opened = false } = {}): Column[] {
  const version = { path: ["version"], kind: "number", isNullable: false } as const;
  return [...columnsWithin(completeRecords[type].entries, opened), version];
}

/** The name of a column in the first row. */
export function columnNameOf({ path }: Column): string {
  return path.join(".");
}

type Schema = v.GenericSchema & { readonly entries?: v.ObjectEntries; readonly wrapped?: Schema };

function columnsWithin(entries: v.ObjectEntries, opened: boolean, within: readonly string[] = []): Column[] {
  return Object.entries<Schema>(entries).flatMap(([name, schema]) => {
    const path = [...within, name];
    const { wrapped: bare = schema } = schema;
    const inner = columnsWithin(bare.entries ?? {}, opened, path);
    if (bare.type === "object") return inner;
    const column: Column = { path, kind: kindOf(bare), isNullable: schema.type === "nullable" };
    return opened ? [column, ...inner] : [column];
  });
}

function kindOf(schema: v.GenericSchema): Column["kind"] {
  const kinds = [
    [decimal, "decimal"],
    [calendarDate, "date"],
    [timestamp, "time"],
    [timelog.entries.duration, "duration"],
  ] as const;
  const kind = kinds.find(([known]) => known === schema)?.[1];
  if (kind || schema.type === "number") return kind ?? "number";
  return ["array", "loose_object"].includes(schema.type) ? "json" : "text";
}

/** A row by RFC 4180. A cell that a spreadsheet might split at another separator is quoted, too. */
function rowOf(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",;|\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
}

/**
 * A place at which a spreadsheet may begin a cell, whichever separator it splits by, and a formula that follows: perhaps
 * after quotes, blanks and format characters, or after apostrophes of the text's own.
 */
const place = String.raw`(?<=^|[,;|\t\r\n])`;
const formula = String.raw`(?='*(?:(?![\t\r\n])["\s\p{Cf}])*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])`;
const open = new RegExp(place + formula, "gu");
const guard = new RegExp(`${place}'${formula}`, "gu");

/** A text in which an apostrophe stands before everything that a spreadsheet would run as a formula. */
function guarded(text: string): string {
  return text.replaceAll(open, "'");
}

/** The text from which `guarded` made another: it removes these apostrophes, and no others. */
export function unguarded(text: string): string {
  return text.replaceAll(guard, "");
}

const decimalNumber = /^-?\d+(\.\d+)?$/;

/** A type's records as a table by RFC 4180: the first row, and the row of each line of the export. */
export function csvOf(type: RecordType) {
  const columns = columnsOf(type);
  return {
    header: rowOf(columns.map(columnNameOf)),
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
