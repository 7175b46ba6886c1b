import type { RecordType } from "../../../shared/contract/records.ts";
import { Refusal } from "../../../shared/contract/refusals.ts";
import { UsageError, unknownWord } from "../cli/command.ts";
import { type Column, columnNameOf, columnsOf, unguarded } from "../csv/tables.ts";
import { hintsOf, mappedValue } from "./cell-values.ts";
import type { ColumnMap } from "./column-map.ts";
import { type CsvRow, readRows } from "./csv-rows.ts";
import type { RecordReader } from "./import-lines.ts";
import { lineFault } from "./line-errors.ts";

/**
 * Reads the rows of a table as records of a type. Without a map, the table is one that `npm run export` wrote. An empty
 * cell is null in a field that may be null; in any other field it leaves the field out. Throws `UsageError` before the
 * first record if the columns are not those of the type or the map.
 */
export function csvReader(type: RecordType, map?: ColumnMap): RecordReader {
  return async function* (source, signal) {
    let header: Header | undefined;
    for await (const row of readRows(source, map ?? { separator: ",", encoding: "utf-8" }, signal)) {
      const { number, bytesRead, given: cells } = row;
      if (header) yield { number, bytesRead, given: recordOf(type, header, row, map), hints: header.hints };
      else if (cells instanceof Refusal) {
        const [{ detail } = { detail: "cannot be read" }] = cells.facts.errors ?? [];
        throw new UsageError(
          `The first line of the table ${detail}: "separator" and "encoding" in a map say what it is`,
        );
      } else header = readHeader(type, cells, map);
    }
    if (!header && !signal?.aborted) throw new UsageError("The table is empty: its first line has the columns");
  };
}

interface Header {
  readonly width: number;
  /** Each field that is filled, with the places of its cells. */
  readonly fields: readonly { readonly column: Column; readonly places: readonly number[] }[];
  readonly hints: ReadonlyMap<string, string> | undefined;
}

function readHeader(type: RecordType, names: readonly string[], map: ColumnMap | undefined): Header {
  const columns = columnsOf(type, { opened: map !== undefined });
  const sources = map?.sources ?? new Map(names.map((name) => [name, [name]]));
  for (const name of [...sources.values()].flat()) {
    if (!names.includes(name)) throw unknownWord("column", printable(name), names.map(printable));
    if (names.indexOf(name) !== names.lastIndexOf(name)) {
      throw new UsageError(`The table has the column "${printable(name)}" twice: give each a name of its own`);
    }
  }
  for (const field of sources.keys()) {
    if (!columns.some((column) => columnNameOf(column) === field)) {
      throw unknownWord(`field of type ${type}`, printable(field), columns.map(columnNameOf));
    }
  }
  const fields = columns.flatMap((column) => {
    const places = sources.get(columnNameOf(column))?.map((name) => names.indexOf(name));
    return places ? { column, places } : [];
  });
  return { width: names.length, fields, hints: map && hintsOf(map, columns) };
}

/** A name of a first row for the terminal, with codes for control and format characters. */
function printable(name: string): string {
  return name.replaceAll(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

function recordOf(type: RecordType, { width, fields }: Header, row: CsvRow, map: ColumnMap | undefined): unknown {
  const { given: cells, isEnded } = row;
  if (cells instanceof Refusal) return cells;
  // Spreadsheets leave empty cells out at the end of a row; a file that is cut off has no line end there.
  if (cells.length > width || (cells.length < width && !isEnded)) {
    const cut = cells.length < width ? ", and no line end follows" : "";
    return lineFault("invalid", `has ${cells.length} cells; the first line has ${width}${cut}`);
  }
  const record: Record<string, unknown> = { type };
  for (const [name, value] of Object.entries(map?.constants ?? {})) put(record, name.split("."), value);
  for (const { column, places } of fields) {
    const texts = places.map((at) => cells[at] ?? "");
    const value = fieldValue(map ? mappedValue(texts, column, map) : unguarded(texts.join()), column);
    if (value !== undefined) put(record, column.path, value);
  }
  return record;
}

/** The value of a cell. One that is none of its kind stays a text, which the import refuses. */
function fieldValue(text: string, { kind, isNullable }: Column): unknown {
  if (text === "") return isNullable ? null : undefined;
  if (kind === "number")
    return /^(0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
  if (kind !== "json" && kind !== "duration") return text;
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
