import { isAscii, isUtf8 } from "node:buffer";
import { CsvError, parse } from "csv-parse/sync";
import { Refusal } from "../../../shared/contract/refusals.ts";
import { UsageError } from "../cli/command.ts";
import { readPieces, type TableEncoding } from "./encodings.ts";
import { maxLineBytes } from "./import-lines.ts";
import { lineFault } from "./line-errors.ts";

/** The separator and encoding of a table. */
export interface TableForm {
  readonly separator: "," | ";" | "\t";
  readonly encoding: TableEncoding;
}

/** A row that is not blank: the number of its first line, the bytes read so far, and its cells or the refusal of it all. */
export interface CsvRow {
  readonly number: number;
  readonly bytesRead: number;
  readonly given: readonly string[] | Refusal;
  /** False for the last row of a file without a line end, which may be cut off. */
  readonly isEnded: boolean;
}

/** The end of a row is looked for in so many bytes; it is a fault if the row has more than `maxLineBytes`. */
const maxRowBytes = 16 * maxLineBytes;
const tooLong = lineFault("line_too_long", `has more than ${maxLineBytes} bytes`);
/** The byte that ends a line. */
const lineFeed = 0x0a;

/**
 * Reads the rows of a table by RFC 4180, at a cost that grows with their length. A quotation mark within an unquoted cell
 * is a letter. A row whose quotes do not match is a fault, and reading goes on with the line after its first one. Throws
 * `UsageError` if the file's encoding, separator or line ends are not those of the form.
 */
export async function* readRows(
  source: AsyncIterable<Uint8Array>,
  { separator, encoding }: TableForm,
  signal?: AbortSignal,
): AsyncGenerator<CsvRow> {
  const textOf = createDecoder(encoding);
  let number = 1;
  let parts: Buffer[] = [];
  let size = 0;
  // Twice the bytes of a row that goes on, so that few bytes are read again.
  let wanted = 0;
  let isWithinLongLine = false;
  for await (const { piece, bytesRead, isLast } of readPieces(source, encoding, signal)) {
    parts.push(piece);
    size += piece.length;
    if (size < wanted && !isLast) continue;
    let rest = Buffer.concat(parts);
    if (isWithinLongLine) {
      const end = rest.indexOf(lineFeed) + 1;
      rest = rest.subarray(end || rest.length);
      number += Number(end > 0);
      isWithinLongLine = end === 0;
    }
    for (const { bytes, cells } of rowsIn(rest, separator, isLast)) {
      const isEnded = bytes.at(-1) === lineFeed;
      const given = number === 1 && isSeparatorLine(bytes, separator) ? [] : textOf(bytes, cells);
      const isBlank = !(given instanceof Refusal) && given.every((cell) => cell.trim() === "");
      if (!isBlank) yield { number, bytesRead, given, isEnded };
      number += linesIn(bytes);
      isWithinLongLine = !isEnded;
      rest = rest.subarray(bytes.length);
    }
    parts = [rest];
    size = rest.length;
    wanted = 2 * size;
  }
}

interface RawRow {
  readonly bytes: Buffer;
  /** Each character is a byte. */
  readonly cells: readonly string[] | Refusal;
}

/** The rows that end in a text, or with it if it is the file's last. */
function* rowsIn(text: Buffer, separator: string, isLast: boolean): Generator<RawRow> {
  let rest = isLast ? text : text.subarray(0, text.lastIndexOf(lineFeed) + 1);
  const behind = text.length - rest.length;
  while (rest.length > 0) {
    const { rows, fault } = parseRows(rest, separator);
    yield* rows;
    rest = rest.subarray(rows.reduce((sum, { bytes }) => sum + bytes.length, 0));
    if (!fault) break;
    if (fault === "open" && !isLast && rest.length + behind < maxRowBytes) return;
    const bytes = rest.subarray(0, rest.indexOf(lineFeed) + 1 || rest.length);
    yield { bytes, cells: lineFault("invalid", `has a double quote that ${faults[fault]}`) };
    rest = rest.subarray(bytes.length);
  }
  if (behind >= maxRowBytes) yield { bytes: text.subarray(-behind), cells: tooLong };
}

const faults = {
  open: "opens a cell and is not closed",
  broken: "closes a cell before its end: one within quotes is written twice",
  late: "follows a blank at the start of a cell: take the blank away",
} as const;
const [brokenQuote, lateQuote] = [new Error(faults.broken), new Error(faults.late)];

/** The rows before the end of a text, or before the first one whose quotes do not match. */
function parseRows(text: Buffer, separator: string): { rows: RawRow[]; fault?: keyof typeof faults } {
  const rows: RawRow[] = [];
  let row = 0;
  let cell = 0;
  try {
    parse(text, {
      delimiter: separator,
      encoding: "latin1",
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      relax_quotes: true,
      // The parser takes a cell with text after its closing quote as it stands, to a later line if need be.
      cast:
        text.includes('"') &&
        ((read, { quoting, bytes }) => {
          if (quoting && bytes - cell !== read.length + 2 + (read.match(/"/g)?.length ?? 0)) throw brokenQuote;
          if (!quoting && /^[ \t]+"/.test(read)) throw lateQuote;
          cell = bytes + separator.length;
          return read;
        }),
      on_record(cells: string[], { bytes }) {
        rows.push({ bytes: text.subarray(row, bytes), cells });
        row = bytes;
        cell = bytes;
      },
    });
    return { rows };
  } catch (error) {
    if (error === brokenQuote) return { rows, fault: "broken" };
    if (error === lateQuote) return { rows, fault: "late" };
    if (error instanceof CsvError && error.code === "CSV_QUOTE_NOT_CLOSED") return { rows, fault: "open" };
    throw error;
  }
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}

/** True if the first line is `sep=;`, which some programs write for others. */
function isSeparatorLine(bytes: Buffer, separator: string): boolean {
  const line = bytes.toString("latin1");
  if (line.includes("\r") && !line.includes("\n")) {
    throw new UsageError("The lines of the table end in CR alone: save it with LF or CRLF");
  }
  const said = /^"?sep=(.)"?\r?\n?$/i.exec(line)?.[1];
  if (said !== undefined && said !== separator) {
    const [here, there] = [said, separator].map((each) => JSON.stringify(each));
    throw new UsageError(
      `The first line of the table says that its separator is ${here}, not ${there}: "separator" in a map`,
    );
  }
  return said !== undefined;
}

/** Gives the text of a row's cells. */
function createDecoder(encoding: TableEncoding) {
  const isUtf = encoding !== "windows-1252";
  const decoder = new TextDecoder(isUtf ? "utf-8" : encoding, { ignoreBOM: true });
  return (bytes: Buffer, cells: RawRow["cells"]): CsvRow["given"] => {
    if (bytes.length > maxLineBytes) return tooLong;
    if (cells instanceof Refusal || isAscii(bytes)) return cells;
    if (isUtf8(bytes) !== isUtf) {
      const detail = isUtf ? "is not UTF-8 text" : `is UTF-8 text, and the map says ${encoding}`;
      return lineFault("invalid_utf8", detail);
    }
    const texts = cells.map((cell) => decoder.decode(Buffer.from(cell, "latin1")));
    const isLost = texts.some((text) => text.includes("\uFFFD"));
    return isLost ? lineFault("invalid_utf8", "has U+FFFD, the sign of a lost letter") : texts;
  };
}
