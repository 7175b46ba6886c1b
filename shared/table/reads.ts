import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { chunksOf, inParallel } from "../run/batches.ts";
import { settings } from "../run/settings.ts";
import { paces, retry } from "./retry.ts";
import { type Item, type Key, liveItem, nameOf, projectionOf, tableClient, tombstoneMark } from "./table.ts";

/** Most items that one call reads. */
export const maxBatchReads = 100;

interface BatchReadOptions {
  readonly consistent?: boolean;
  /** The attributes that are read of each item, the key among them. Without `paths` the whole item is read. */
  readonly paths?: readonly string[] | undefined;
  readonly withTombstones?: boolean;
}

/**
 * Reads up to 100 items, in the order of the keys; absent ones are undefined. 1 read unit each, or half a unit if not
 * consistent. If the table is under load and leaves items unread, the call asks again with jitter for up to a second,
 * then refuses with `busy`.
 */
export async function readBatch(
  keys: readonly Key[],
  { consistent = true, paths, withTombstones = false }: BatchReadOptions = {},
): Promise<(Item | undefined)[]> {
  const table = settings.tableName();
  const reading = { ConsistentRead: consistent, ...(paths && projectionOf([...paths, tombstoneMark])) };
  const found = new Map<string, Item>();
  let open: Item[] = [...new Map(keys.map((key) => [nameOf(key), { ...key }])).values()];
  await retry(paces.conflict, async () => {
    if (open.length === 0) return true;
    const RequestItems = { [table]: { Keys: open, ...reading } };
    const { Responses, UnprocessedKeys } = await tableClient().send(new BatchGetCommand({ RequestItems }));
    for (const item of Responses?.[table] ?? []) found.set(nameOf(item), item);
    open = UnprocessedKeys?.[table]?.Keys ?? [];
    return open.length === 0 || undefined;
  });
  const items = keys.map((key) => found.get(nameOf(key)));
  return withTombstones ? items : items.map(liveItem);
}

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

/** A row that lists sort by. */
interface Row {
  readonly id: number;
}

/** Rows in descending order of their ids. A read may begin below any id. */
export interface Source<R extends Row> {
  /** Reads the highest rows below an id. Returns fewer than `least` only if no more follow, and perhaps some more. */
  read(below: number, least: number): Promise<readonly R[]>;
}

/** The state of a source: the rows read so far, and whether more follow. */
interface Reading<R extends Row> {
  readonly source: Source<R>;
  readonly rows: R[];
  isDone: boolean;
}

/** The rows that are wanted of several sources. */
interface Wanted {
  readonly below: number;
  readonly limit: number;
  /** The rows that each source is asked for first. With the limit there is one round, which reads more rows. */
  readonly share?: number | undefined;
}

/**
 * Rows that a source is asked for beyond its share. If one source has more of the wanted rows, another needs to be read
 * less.
 */
const margin = 3;
/** Fewer connections than the SDK keeps to the table. */
const mostAtOnce = 40;

/**
 * Merges the highest rows of all sources in descending order. It asks each source for its share first, and for more
 * only if the source may have some of the missing rows. So the number of rows that are read depends on how many are
 * wanted, never on how many exist. Two rounds.
 */
export async function mergeReads<R extends Row>(sources: readonly Source<R>[], wanted: Wanted): Promise<R[]> {
  const { limit, share = Math.min(limit, Math.ceil(limit / sources.length) + margin) } = wanted;
  const readings = sources.map((source): Reading<R> => ({ source, rows: [], isDone: false }));
  await inParallel(readings, mostAtOnce, (each) => readOn(each, wanted, share));
  const found = highestOf(readings, limit);
  await inParallel(readings, mostAtOnce, (each) => readOn(each, wanted, missingOf(each, found, limit)));
  return highestOf(readings, limit);
}

/** A record that moves from one source to another between two reads may be in both. It counts once. */
function highestOf<R extends Row>(readings: readonly Reading<R>[], limit: number): R[] {
  const rows = readings.flatMap((each) => each.rows).sort((one, other) => other.id - one.id);
  return rows.filter(({ id }, at) => id !== rows[at - 1]?.id).slice(0, limit);
}

async function readOn<R extends Row>(reading: Reading<R>, { below }: Wanted, least: number): Promise<void> {
  if (least === 0) return;
  const rows = await reading.source.read(reading.rows.at(-1)?.id ?? below, least);
  reading.rows.push(...rows);
  reading.isDone = rows.length < least;
}

/**
 * The unread rows of a source are below its last row. So it may have as many of the wanted rows as are not found at or
 * above that row.
 */
function missingOf<R extends Row>({ rows, isDone }: Reading<R>, found: readonly R[], limit: number): number {
  const lowest = rows.at(-1)?.id;
  return isDone || lowest === undefined ? 0 : limit - found.filter(({ id }) => id >= lowest).length;
}
