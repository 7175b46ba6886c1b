import { chunksOf } from "../../batches.ts";
import { settings } from "../../settings.ts";
import { readBatch } from "../table/batch-reads.ts";
import { tryUpdate } from "../table/conditional-writes.ts";
import { allOf, anyOf, lacks } from "../table/conditions.ts";
import { nameOf } from "../table/item-keys.ts";
import { paces, retry } from "../table/retry.ts";
import type { Item, Key } from "../table/table.ts";
import type { Patch } from "../table/updates.ts";
import { type Figures, readFigures } from "./stored-totals.ts";

/** Bounds under the key that they are stored at. */
interface Bounds {
  readonly key: Key;
  readonly figures: ReadonlyMap<string, number>;
}

/** Bounds as this process knows them: they only widen, and what narrows them makes the counts that depend on them fail. */
const seen = new Map<string, Figures>();
const mostSeen = 1_000;
/** An expression takes 4 KB. */
const mostAtOnce = 60;

/**
 * Widens bounds so that they include what is about to be counted; gives, in their order, how often each was narrowed. A count that is held to that number is within the bounds. Half a read unit for each item that this process does
 * not know; no write unit where they are wide enough, else one a KB.
 */
export async function widenBounds(bounds: readonly Bounds[], isFresh: boolean): Promise<(number | undefined)[]> {
  if (seen.size > mostSeen) seen.clear();
  const keys = bounds.map(({ key }) => key).filter((key) => isFresh || !seen.has(placeOf(key)));
  const items = await readBatch(keys, { consistent: isFresh });
  for (const [at, key] of keys.entries()) remember(key, items[at]);
  await Promise.all(bounds.map(widen));
  return bounds.map(({ key }) => seen.get(placeOf(key))?.narrowed);
}

function placeOf(key: Key): string {
  return `${settings.tableName()} ${nameOf(key)}`;
}

function remember(key: Key, item: Item | undefined): void {
  seen.set(placeOf(key), readFigures(item));
}

function widen({ key, figures }: Bounds): Promise<true> {
  const known = () => seen.get(placeOf(key)) ?? {};
  return retry(paces.totals, async () => {
    const outside = [...figures].filter(([name, id]) => !isWithin(name, id, known()[name]));
    for (const moved of chunksOf(outside, mostAtOnce)) {
      const { isWritten, item } = await tryUpdate(key, widening(known().narrowed, moved));
      remember(key, item);
      if (!isWritten) return undefined;
    }
    return true;
  });
}

function isWithin(name: string, id: number, bound: number | undefined): boolean {
  if (bound === undefined) return false;
  return name.endsWith(">") ? id <= bound : id >= bound;
}

/** The update that moves bounds, where each of them still has to. */
function widening(narrowed: number | undefined, moved: readonly [string, number][]): Patch {
  const mustMove = moved.map(([name], at) =>
    anyOf(lacks(`#f${at}`), `#f${at} ${name.endsWith(">") ? "<" : ">"} :f${at}`),
  );
  const { ConditionExpression, ExpressionAttributeValues } = ifNarrowed(narrowed);
  return {
    when: allOf(...mustMove, ConditionExpression),
    values: { ...ExpressionAttributeValues, ...Object.fromEntries(moved.map(([, id], at) => [`:f${at}`, id])) },
    names: Object.fromEntries(moved.map(([name], at) => [`#f${at}`, name])),
    set: Object.fromEntries(moved),
    add: { revision: 1 },
  };
}

/** Holds a write to bounds that were narrowed so often and no more. */
export function ifNarrowed(narrowed: number | undefined) {
  if (narrowed === undefined) return { ConditionExpression: lacks("narrowed") };
  return { ConditionExpression: "narrowed = :narrowed", ExpressionAttributeValues: { ":narrowed": narrowed } };
}
