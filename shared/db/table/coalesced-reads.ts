import { chunksOf } from "../../run/batches.ts";
import { maxBatchReads, readBatch } from "./batch-reads.ts";
import type { Item, Key } from "./item-keys.ts";

interface Waiting {
  readonly key: Key;
  resolve(item: Item | undefined): void;
  reject(error: unknown): void;
}

let waiting: Waiting[] = [];

/** Reads one item or tombstone, consistently. Reads of the same turn of the event loop are combined into batches. */
export function loadItem(key: Key): Promise<Item | undefined> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(sendBatches);
    waiting.push({ key, resolve, reject });
  });
}

function sendBatches(): void {
  const collected = waiting;
  waiting = [];
  for (const batch of chunksOf(collected, maxBatchReads)) {
    readBatch(
      batch.map(({ key }) => key),
      { withTombstones: true },
    ).then(
      (items) => {
        for (const [at, { resolve }] of batch.entries()) resolve(items[at]);
      },
      (error) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }
}
