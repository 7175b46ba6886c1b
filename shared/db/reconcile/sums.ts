import { isTotalsKey, partKey, wholeKey } from "../lists/stored-totals.ts";
import type { Key } from "../table/table.ts";

/**
 * What a pass over the table adds up, in each of 65,536 buckets of keys. What should be there is added to two sums of 32 bits, what
 * is stored is subtracted, so that they are zero where both are equal, in whatever order and in however many parts it was read. A
 * third sum is of the revisions of what is stored: it shows whether two passes saw the same.
 */
export type Sums = Uint32Array;

const buckets = 2 ** 16;
const sumsOfBucket = 3;

/** Sums of nothing. */
export function createSums(): Sums {
  return new Uint32Array(sumsOfBucket * buckets);
}

/** The bucket of a key; the parts of totals have that of the whole. */
export function bucketOf(key: Key): number {
  const { pk, sk } = isTotalsKey(key) ? partKey(wholeKey(key), "") : key;
  hash(`${pk} ${sk}`);
  return hashes[0] & (buckets - 1);
}

/**
 * Adds something that is so many times under a key. One thing whose number differs is always seen; several that differ are
 * missed with a chance of 2^-62.
 */
export function addTo(sums: Sums, key: Key, thing: string, times: number): void {
  const at = sumsOfBucket * bucketOf(key);
  hash(`${key.pk} ${key.sk} ${thing}`);
  // An odd number times what is not 0 is not 0.
  sums[at] = (sums[at] ?? 0) + Math.imul(hashes[0] | 1, times);
  sums[at + 1] = (sums[at + 1] ?? 0) + Math.imul(hashes[1] | 1, times);
}

/** Adds the revision of an item that is stored. */
export function addRevision(sums: Sums, key: Key, revision = 0): void {
  const at = sumsOfBucket * bucketOf(key) + 2;
  hash(`${key.pk} ${key.sk} ${revision}`);
  sums[at] = (sums[at] ?? 0) + hashes[0];
}

/** Adds the sums of another part. */
export function addAll(sums: Sums, others: Sums): void {
  for (let at = 0; at < sums.length; at += 1) sums[at] = (sums[at] ?? 0) + (others[at] ?? 0);
}

/** The buckets that are not zero; with the sums of an earlier pass, those that nothing was written to since. */
export function differing(sums: Sums, before: Sums = sums): number[] {
  const found: number[] = [];
  for (let at = 0; at < sums.length; at += sumsOfBucket) {
    // Nearly all of them.
    if (sums[at] === 0 && sums[at + 1] === 0) continue;
    const isSame = [0, 1, 2].every((sum) => sums[at + sum] === before[at + sum]);
    if (isSame) found.push(at / sumsOfBucket);
  }
  return found;
}

/** Bits of `hashOf`. */
export const hashBits = 52;

/** A hash of a text as a whole number. */
export function hashOf(text: string): number {
  hash(text);
  return (hashes[0] >>> 6) * 2 ** 26 + (hashes[1] >>> 6);
}

const hashes: [number, number] = [0, 0];

/** Leaves two independent hashes of a text in `hashes`: FNV-1a with other numbers for the second, mixed as MurmurHash3 does. */
function hash(text: string): void {
  let [low, high] = [0x811c9dc5, 0x1b873593];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b) ^ (high >>> 15);
  }
  hashes[0] = mix(low);
  hashes[1] = mix(high);
}

function mix(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}
