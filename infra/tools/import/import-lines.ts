/** Longest accepted line, in bytes. */
export const maxLineBytes = 256 * 1024;

/** One line of a stream: its number from 1, the bytes read so far, and its bytes unless it is too long. */
export interface SourceLine {
  readonly number: number;
  readonly bytesRead: number;
  readonly bytes: Buffer | "too_long";
}

/** The byte that ends a line. */
const lineFeed = 0x0a;
/** The byte that Windows writes before it. */
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Splits a stream into lines with at most one line and one chunk in memory. Lines end in LF or CRLF. Blank lines are
 * counted and skipped, as is a byte order mark at the start. Ends early if `signal` aborts, even while waiting.
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
  const finish = (): SourceLine[] => {
    number += 1;
    const bytes = length > maxLineBytes + byteOrderMark.length ? "too_long" : bareLine(Buffer.concat(parts), number);
    parts = [];
    length = 0;
    return isBlank(bytes) ? [] : [{ number, bytesRead, bytes }];
  };

  for await (const piece of untilAborted(source, signal)) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      take(chunk.subarray(start, end));
      bytesRead += end + 1 - start;
      start = end + 1;
      yield* finish();
    }
    take(chunk.subarray(start));
    bytesRead += chunk.length - start;
  }
  if (length > 0) yield* finish();
}

function bareLine(line: Buffer, number: number): Buffer | "too_long" {
  const start = number === 1 && line.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const bare = line.subarray(start, line.at(-1) === carriageReturn ? -1 : undefined);
  return bare.length > maxLineBytes ? "too_long" : bare;
}

function isBlank(bytes: Buffer | "too_long"): boolean {
  return bytes !== "too_long" && bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === carriageReturn);
}

async function* untilAborted(source: AsyncIterable<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
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
