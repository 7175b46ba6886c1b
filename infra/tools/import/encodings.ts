import { UsageError } from "../cli/command.ts";
import { untilAborted } from "./import-lines.ts";

/** The encodings of tables that are read. */
export const tableEncodings = ["utf-8", "windows-1252", "utf-16le"] as const;

/** The encoding of a table. */
export type TableEncoding = (typeof tableEncodings)[number];

/** Some bytes of a table, in UTF-8 if the table has UTF-16. The last piece may be empty. */
export interface Piece {
  readonly piece: Buffer;
  /** Of the file, up to this piece. */
  readonly bytesRead: number;
  readonly isLast: boolean;
}

/**
 * The bytes of a file without its byte order mark; none of a file without bytes. Throws `UsageError` if its first bytes show
 * another encoding. Ends early if `signal` aborts.
 */
export async function* readPieces(
  source: AsyncIterable<Uint8Array>,
  encoding: TableEncoding,
  signal?: AbortSignal,
): AsyncGenerator<Piece> {
  const utf16 = encoding === "utf-16le" ? new TextDecoder(encoding) : undefined;
  const convert = (bytes: Buffer, isLast: boolean) =>
    utf16 ? Buffer.from(utf16.decode(bytes, { stream: !isLast })) : bytes;
  let start: Buffer | undefined = Buffer.alloc(0);
  let bytesRead = 0;
  for await (const chunk of untilAborted(source, signal)) {
    bytesRead += chunk.length;
    let piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (start) {
      start = Buffer.concat([start, piece]);
      if (start.length < longestMark) continue;
      piece = withoutMark(start, encoding);
      start = undefined;
    }
    yield { piece: convert(piece, false), bytesRead, isLast: false };
  }
  const rest = start ? withoutMark(start, encoding) : Buffer.alloc(0);
  if (bytesRead > 0) yield { piece: convert(rest, true), bytesRead, isLast: true };
}

/** Byte order marks (Unicode, 2.6). */
const marks: Readonly<Record<string, readonly number[]>> = {
  "utf-8": [0xef, 0xbb, 0xbf],
  "utf-16le": [0xff, 0xfe],
  "utf-16be": [0xfe, 0xff],
};
/** Bytes of the longest of them. */
const longestMark = 3;

/** The first bytes without a byte order mark. Letters of UTF-16 show by the zeros in them, with a byte order mark or without. */
function withoutMark(start: Buffer, encoding: TableEncoding): Buffer {
  const [marked, mark = []] =
    Object.entries(marks).find(([, bytes]) => bytes.every((byte, at) => start[at] === byte)) ?? [];
  const shown = marked ?? (start[1] === 0 ? "utf-16le" : start[0] === 0 ? "utf-16be" : undefined);
  if (shown !== undefined ? shown !== encoding : encoding === "utf-16le") {
    const known = tableEncodings.some((each) => each === shown);
    const advice = known || shown === undefined ? `"encoding" in a map says which it is` : "save it as UTF-8";
    throw new UsageError(`The table is ${shown ?? "not UTF-16"}, not ${encoding}: ${advice}`);
  }
  return start.subarray(mark.length);
}
