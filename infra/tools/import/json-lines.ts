import type { TextDecoder as Decoder } from "node:util";
import { Refusal } from "../../../shared/domain/refusal.ts";
import { maxLineBytes, type RecordReader, type SourceLine, splitLines } from "./import-lines.ts";
import { lineFault } from "./line-errors.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads one JSON object a line. Blank lines are counted and skipped. */
export const readJsonLines: RecordReader = async function* (source, signal) {
  for await (const { number, bytesRead, bytes } of splitLines(source, signal)) {
    const text = textOf(bytes, utf8);
    if (text instanceof Refusal || /[^ \t\r]/.test(text)) yield { number, bytesRead, given: parse(text) };
  }
};

/** The text of a line; the refusal of one that is too long or has other bytes. */
export function textOf(bytes: SourceLine["bytes"], decoder: Decoder): string | Refusal {
  if (bytes === "too_long") return lineFault("line_too_long", `has more than ${maxLineBytes} bytes`);
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw error;
    return lineFault("invalid_utf8", `is not ${decoder.encoding.toUpperCase()} text`);
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
