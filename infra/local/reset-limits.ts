import { limitCounts } from "../../shared/people/limits.ts";
import { pins } from "../../shared/people/pins.ts";
import { keyOf, scanPages } from "../../shared/table/table.ts";
import { deleteItemAt } from "../../shared/table/writes.ts";

const limits = [limitCounts, pins];

/** Deletes the counts of every limit: pins, passwords, passcodes and messages. Returns the number of counts. */
export async function resetLimits(): Promise<number> {
  let count = 0;
  for await (const { items } of scanPages({ ProjectionExpression: "pk, sk" })) {
    const keys = items.map(keyOf).filter((key) => limits.some((entity) => entity.matches(key)));
    for (const key of keys) await deleteItemAt(key);
    count += keys.length;
  }
  return count;
}
