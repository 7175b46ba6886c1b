/** The kinds of key that rows sort by. */
type SortKey = string | number;

/** Rows in descending order of their keys. A read may begin below any key. */
export interface Source<Row, K extends SortKey = string> {
  /**
   * Reads the highest rows below a key, or from the top without a key. Returns at most `limit` rows; fewer only if no
   * more follow.
   */
  read(below: K | undefined, limit: number): Promise<readonly Row[]>;
}

/** The state of a source: the rows read so far, and whether more follow. */
interface Reading<Row, K extends SortKey> {
  readonly source: Source<Row, K>;
  readonly rows: Row[];
  isDone: boolean;
}

/** The rows that are wanted of several sources. */
export interface Wanted<Row, K extends SortKey = string> {
  /** The key that all sources sort by. No two rows have the same. */
  readonly keyOf: (row: Row) => K;
  readonly below: K | undefined;
  readonly limit: number;
}

/**
 * Rows that a source is asked for beyond its share. If one source has more of the wanted rows, another needs to be read
 * less.
 */
const margin = 3;

/**
 * Merges the highest rows of all sources in descending order. It asks each source for its share first, and for more
 * only if the source may have some of the missing rows. So the number of rows that are read depends on how many are
 * wanted, never on how many exist. Two rounds.
 */
export async function mergeReads<Row, K extends SortKey>(
  sources: readonly Source<Row, K>[],
  wanted: Wanted<Row, K>,
): Promise<Row[]> {
  const { limit } = wanted;
  const readings = sources.map((source): Reading<Row, K> => ({ source, rows: [], isDone: false }));
  const share = Math.min(limit, Math.ceil(limit / sources.length) + margin);
  await Promise.all(readings.map((each) => readOn(each, wanted, share)));
  const found = highestOf(readings, wanted);
  await Promise.all(readings.map((each) => readOn(each, wanted, missingOf(each, found, wanted))));
  return highestOf(readings, wanted);
}

function highestOf<Row, K extends SortKey>(
  readings: readonly Reading<Row, K>[],
  { keyOf, limit }: Wanted<Row, K>,
): Row[] {
  const rows = readings.flatMap((each) => each.rows);
  return rows.sort((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1)).slice(0, limit);
}

async function readOn<Row, K extends SortKey>(
  reading: Reading<Row, K>,
  { keyOf, below }: Wanted<Row, K>,
  limit: number,
): Promise<void> {
  if (limit === 0) return;
  const last = reading.rows.at(-1);
  const rows = await reading.source.read(last ? keyOf(last) : below, limit);
  reading.rows.push(...rows);
  reading.isDone = rows.length < limit;
}

/**
 * The unread rows of a source are below its last row. So it may have as many of the wanted rows as are not found at or
 * above that row.
 */
function missingOf<Row, K extends SortKey>(
  { rows, isDone }: Reading<Row, K>,
  found: readonly Row[],
  { keyOf, limit }: Wanted<Row, K>,
): number {
  const last = rows.at(-1);
  if (isDone || last === undefined) return 0;
  return limit - found.filter((row) => keyOf(row) >= keyOf(last)).length;
}
