import type { RecordType } from "../../../shared/contract/records.ts";
import { Refusal } from "../../../shared/domain/refusal.ts";
import { unknownWord } from "../cli/command.ts";
import { type Column, cellsOf, columnsOf, nameOf, unguarded } from "../csv/tables.ts";
import { type ColumnMap, hintsOf, mappedValue } from "./column-map.ts";
import { maxLineBytes, type ReadLine, type RecordReader, splitLines, textOf } from "./import-lines.ts";
import { lineFault } from "./line-errors.ts";

/**
 * Reads the rows of a table as records of a type. Without a map, the table is one that `npm run export` wrote. An empty
 * cell is null in a field that may be null; in any other field it leaves the field out.
 */
export function csvReader(type: RecordType, map?: ColumnMap): RecordReader {
  return async function* (source, signal) {
    let header: Column[][] | undefined;
    const hints = map && hintsOf(map, type);
    for await (const { given: cells, ...row } of readRows(source, map, signal)) {
      if (cells instanceof Refusal) yield { ...row, given: cells };
      else if (header) yield { ...row, given: recordOf(type, header, cells, map), hints };
      else header = readHeader(type, cells, map);
    }
  };
}

interface Row extends ReadLine {
  readonly given: readonly string[] | Refusal;
}

async function* readRows(
  source: AsyncIterable<Uint8Array>,
  { separator = ",", encoding = "utf-8" }: Partial<ColumnMap> = {},
  signal?: AbortSignal,
): AsyncGenerator<Row> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  let open: (Omit<ReadLine, "given"> & { readonly last: number; readonly text: string }) | undefined;
  for await (const { bytes, bytesRead, ending, number: last } of splitLines(source, signal)) {
    const text = textOf(bytes, decoder);
    const number = open?.number ?? last;
    const row = `${open?.text ?? ""}${text}`;
    const isStillOpen = open && typeof text === "string" && !text.includes('"');
    const given = text instanceof Refusal ? text : isStillOpen ? undefined : cellsOf(row, separator);
    open = given ? undefined : { number, last, bytesRead, text: row + ending };
    if (row.length > maxLineBytes)
      throw new Error(`A quote in line ${number} is not closed; no line from it on was read.`);
    if (given && (given instanceof Refusal || given.some((cell) => cell !== ""))) yield { number, bytesRead, given };
  }
  if (!open) return;
  const { number, last, bytesRead } = open;
  const detail = `has a quote that is not closed; lines ${number} to ${last} were not read`;
  yield { number, bytesRead, given: lineFault("invalid", detail) };
}

function readHeader(type: RecordType, names: readonly string[], map: ColumnMap | undefined): Column[][] {
  const columns = columnsOf(type, { opened: map !== undefined });
  const known = map ? Object.keys(map.columns) : names;
  for (const name of known) {
    if (!names.includes(name)) throw unknownWord("column", name, names);
    if (!map && !columns.some((column) => nameOf(column) === name)) {
      throw unknownWord(`field of type ${type}`, name, columns.map(nameOf));
    }
  }
  const fieldsOf = (name: string) => (map ? [map.columns[name] ?? []].flat() : [name]);
  return names.map((name) => columns.filter((column) => fieldsOf(name).includes(nameOf(column))));
}

function recordOf(
  type: RecordType,
  header: readonly (readonly Column[])[],
  cells: readonly string[],
  map: ColumnMap | undefined,
): unknown {
  if (cells.length !== header.length) {
    return lineFault("invalid", `has ${cells.length} cells; the first line has ${header.length}`);
  }
  const record: Record<string, unknown> = { type };
  for (const [name, value] of Object.entries(map?.constants ?? {})) put(record, name.split("."), value);
  for (const [at, columns] of header.entries()) {
    for (const column of columns) {
      const cell = cells[at] ?? "";
      const value = fieldValue(map ? mappedValue(cell, column, map) : unguarded(cell), column);
      if (value !== undefined) put(record, column.path, value);
    }
  }
  return record;
}

/** The value of a cell. One that is none of its kind stays a text, which the import refuses. */
function fieldValue(text: string, { kind, isNullable }: Column): unknown {
  if (text === "") return isNullable ? null : undefined;
  if (kind !== "number" && kind !== "json") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function put(record: Record<string, unknown>, [name = "", ...within]: readonly string[], value: unknown): void {
  if (within.length === 0) record[name] = value;
  else {
    record[name] ??= {};
    put(record[name] as Record<string, unknown>, within, value);
  }
}
