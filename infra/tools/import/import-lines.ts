import { Refusal } from "../../../shared/contract/refusals.ts";
import { type GivenLine, lineFault } from "./line-errors.ts";

/** Longest accepted line, in bytes. */
export const maxLineBytes = 256 * 1024;

/** One line of a stream: its number from 1, the bytes read so far, and its bytes unless it is too long. */
export interface SourceLine {
  readonly number: number;
  readonly bytesRead: number;
  readonly bytes: Buffer | "too_long";
}

/** A line that was read, and the bytes read so far. */
export interface ReadLine extends GivenLine {
  readonly bytesRead: number;
}

/** Reads the records of a file. Ends early if `signal` aborts, even while waiting. */
export type RecordReader = (source: AsyncIterable<Uint8Array>, signal?: AbortSignal) => AsyncGenerator<ReadLine>;

/** The byte that ends a line. */
const lineFeed = 0x0a;
/** The byte that Windows writes before it. */
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Splits a stream into lines with at most one line and one chunk in memory. Lines end in LF or CRLF. Skips a byte order
 * mark at the start. Ends early if `signal` aborts, even while waiting.
 */
export async function* splitLines(source: AsyncIterable<Uint8Array>, signal?: AbortSignal): AsyncGenerator<SourceLine> {
  let number = 0;
  let bytesRead = 0;
  let parts: Buffer[] = [];
  let length = 0;

  const take = (part: Buffer) => {
    length += part.length;
    if (length <= maxLineBytes + byteOrderMark.length) parts.push(part);
    else parts = [];
  };
  const finish = (lineEnd: "\n" | ""): SourceLine => {
    number += 1;
    const line = Buffer.concat(parts);
    const start = number === 1 && line.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
    const bare = line.subarray(start, lineEnd && line.at(-1) === carriageReturn ? -1 : undefined);
    const isTooLong = length > maxLineBytes + byteOrderMark.length || bare.length > maxLineBytes;
    parts = [];
    length = 0;
    return { number, bytesRead, bytes: isTooLong ? "too_long" : bare };
  };

  for await (const piece of untilAborted(source, signal)) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      take(chunk.subarray(start, end));
      bytesRead += end + 1 - start;
      start = end + 1;
      yield finish("\n");
    }
    take(chunk.subarray(start));
    bytesRead += chunk.length - start;
  }
  if (length > 0) yield finish("");
}

/** The pieces of a stream. Ends early if `signal` aborts, even while waiting. */
export async function* untilAborted(
  source: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]();
  const aborted = new Promise<IteratorReturnResult<undefined>>((resolve) => {
    signal?.addEventListener("abort", () => resolve({ done: true, value: undefined }));
  });
  while (!signal?.aborted) {
    const { done, value } = await Promise.race([pieces.next(), aborted]);
    if (done) return;
    yield value;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads one JSON object a line. Blank lines are counted and skipped. */
export const readJsonLines: RecordReader = async function* (source, signal) {
  for await (const { number, bytesRead, bytes } of splitLines(source, signal)) {
    const text = textOf(bytes);
    if (text instanceof Refusal || /[^ \t\r]/.test(text)) yield { number, bytesRead, given: parse(text) };
  }
};

/** The text of a line; the refusal of one that is too long or has other bytes. */
function textOf(bytes: SourceLine["bytes"]): string | Refusal {
  if (bytes === "too_long") return lineFault("line_too_long", `has more than ${maxLineBytes} bytes`);
  try {
    return utf8.decode(bytes);
  } catch {
    return lineFault("invalid_utf8", "is not UTF-8 text");
  }
}

function parse(text: string | Refusal): unknown {
  if (text instanceof Refusal) return text;
  try {
    return JSON.parse(text);
  } catch {
    return lineFault("malformed_json", "is not JSON");
  }
}
