import { inParallel } from "../../run/batches.ts";

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
export interface Wanted {
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
