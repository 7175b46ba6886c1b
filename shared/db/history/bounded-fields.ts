import { createHash } from "node:crypto";
import type { CutValue, Fields } from "./history-items.ts";

/** The fields of a change, before and after it. */
export interface ChangedFields {
  readonly before?: Fields | undefined;
  readonly after?: Fields | undefined;
}

/** The same as JSON. */
export interface ChangedTexts {
  readonly before?: string;
  readonly after?: string;
}

/** So much of a long value is kept; less where all of them would be too much, and in the end no hash. */
const keptLetters = [Number.POSITIVE_INFINITY, 400, 100, 20, 0, -1] as const;
/** The least that is kept of a value. */
const shortest = JSON.stringify({ cut: "" });
/** What a cut value is kept as, beside what is kept of it. */
const cutBytes = Buffer.byteLength(JSON.stringify({ cut: "", sha256: "s".repeat(22) }));

/** Makes the fields of a change fit: long values are cut, the same however often it is done. */
export function boundFields({ before, after }: ChangedFields, mostBytes: number): ChangedTexts {
  let texts: ChangedTexts = {};
  for (const letters of keptLetters) {
    const cut = (fields: Fields) => JSON.stringify(cutFields(fields, letters));
    texts = { ...(before && { before: cut(before) }), ...(after && { after: cut(after) }) };
    if (bytesOf(texts.before) + bytesOf(texts.after) <= mostBytes) break;
  }
  return texts;
}

function cutValue(value: unknown, letters: number): unknown {
  const text = JSON.stringify(value);
  if (letters < 0) return text.length > shortest.length ? { cut: "" } : value;
  if (Buffer.byteLength(text) <= letters + cutBytes) return value;
  const sha256 = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  return { cut: text.slice(0, letters), sha256 } satisfies CutValue;
}

function cutFields(fields: Fields, letters: number): Fields {
  const there = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there.map(([name, value]) => [name, cutValue(value, letters)]));
}

function bytesOf(text = ""): number {
  return Buffer.byteLength(text);
}
