import { createHash } from "node:crypto";
import type { CutValue, FieldValues } from "../../shared/records/history.ts";

/** The fields of a change, before and after it. */
export interface ChangedFields {
  readonly before?: FieldValues | undefined;
  readonly after?: FieldValues | undefined;
}

/** The same fields as JSON. */
export interface ChangedTexts {
  readonly before?: string;
  readonly after?: string;
}

/**
 * Numbers of letters that are kept of a long value. A lower number is used if the fields are still too large; -1 leaves
 * the hash out too.
 */
const keptLetters = [Number.POSITIVE_INFINITY, 400, 100, 20, 0, -1] as const;
/** The shortest form of a cut value. */
const shortest = JSON.stringify({ cut: "" });
/** Bytes that a cut value takes in addition to its kept letters. */
const cutBytes = Buffer.byteLength(JSON.stringify({ cut: "", sha256: "s".repeat(22) }));

/** Cuts long values so that the fields of a change fit. The result is the same each time. */
export function boundFields({ before, after }: ChangedFields, mostBytes: number): ChangedTexts {
  let texts: ChangedTexts = {};
  for (const letters of keptLetters) {
    const cut = (fields: FieldValues) => JSON.stringify(cutFields(fields, letters));
    texts = { ...(before && { before: cut(before) }), ...(after && { after: cut(after) }) };
    if (bytesOf(texts.before) + bytesOf(texts.after) <= mostBytes) break;
  }
  return texts;
}

function cutValue(value: unknown, letters: number): unknown {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) <= (letters < 0 ? shortest.length : letters + cutBytes)) return value;
  const sha256 = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  return (letters < 0 ? { cut: "" } : { cut: text.slice(0, letters), sha256 }) satisfies CutValue;
}

function cutFields(fields: FieldValues, letters: number): FieldValues {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, cutValue(value, letters)]));
}

function bytesOf(text = ""): number {
  return Buffer.byteLength(text);
}
