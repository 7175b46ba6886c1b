import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { readBatch } from "./table/batch-reads.ts";
import { deleteItemAt, putIf } from "./table/conditional-writes.ts";
import { defineEntity, type StoredItem } from "./table/entity.ts";
import { epochSeconds } from "./table/expiry.ts";
import type { Key } from "./table/table.ts";

/** A further piece of a kept answer as the table stores it. The first piece is part of its run. */
interface StoredPiece extends StoredItem {
  readonly piece: Uint8Array;
  readonly expires_at: number;
}

/** The entity of the further pieces of answers. */
export const answerPieces = defineEntity<StoredPiece>(
  "answer piece",
  ({ pk, sk }) => pk.startsWith("IDEMPOTENCY#") && sk.startsWith("ANSWER#"),
);

/** The run whose answer is kept. */
interface AnsweredRun {
  readonly record: Key;
  readonly id: string;
  readonly validTo: Date;
}

/** DynamoDB's limit for an item is 400 KB, including its key and the other attributes. */
const pieceBytes = 350_000;

/**
 * Compresses an answer and stores all pieces but the first. Returns the first piece and the number of the others. A
 * write unit a KB.
 */
export async function keepInPieces(
  { record, id, validTo }: AnsweredRun,
  answer: string,
): Promise<{ readonly first: Uint8Array | undefined; readonly further: number }> {
  const bytes = await promisify(gzip)(answer);
  const count = Math.ceil(bytes.length / pieceBytes);
  const cut = Array.from({ length: count }, (_, at) => bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes));
  const [first, ...further] = cut;
  const expires_at = epochSeconds(validTo);
  const items = further.map((piece, at) => answerPieces.encode({ ...pieceKey(record, id, at), piece, expires_at }));
  await Promise.all(items.map((Item) => putIf({ Item })));
  return { first, further: further.length };
}

/** Joins the pieces of an answer; its run has the first. Undefined if a piece is missing. A read unit for every 4 KB. */
export async function findPieces(
  record: Key,
  runId: string,
  { kept_answer, further_pieces = 0 }: { readonly kept_answer?: Uint8Array; readonly further_pieces?: number },
): Promise<string | undefined> {
  const keys = Array.from({ length: further_pieces }, (_, at) => pieceKey(record, runId, at));
  const further = keys.length === 0 ? [] : await readBatch(keys);
  const pieces = [kept_answer, ...further.map((item) => item && answerPieces.decode(item).piece)];
  const whole = pieces.filter((piece) => piece !== undefined);
  if (whole.length < pieces.length) return undefined;
  return (await promisify(gunzip)(Buffer.concat(whole))).toString();
}

/** Deletes the further pieces of an answer. */
export async function dropPieces(record: Key, runId: string, further: number): Promise<void> {
  for (let at = 0; at < further; at += 1) await deleteItemAt(pieceKey(record, runId, at));
}

function pieceKey({ pk }: Key, runId: string, at: number): Key {
  return { pk, sk: `ANSWER#${runId}#${at}` };
}
