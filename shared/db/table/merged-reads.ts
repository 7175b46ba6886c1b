/** The kinds of key that rows sort by. */
type SortKey = string | number;

/** Rows in descending order of a key of theirs, which are read from anywhere down. */
export interface Source<Row, K extends SortKey = string> {
  /** The highest rows below a key, from the top without one: at most `limit`, fewer only where no more follow. */
  read(below: K | undefined, limit: number): Promise<readonly Row[]>;
}

/** What is known of a source: its rows so far, and how many it was asked for. */
interface Reading<Row, K extends SortKey> {
  readonly source: Source<Row, K>;
  readonly rows: Row[];
  isDone: boolean;
}

/** Which rows of several sources are wanted. */
export interface Wanted<Row, K extends SortKey = string> {
  /** The key that all sources sort by, no two rows with the same one. */
  readonly keyOf: (row: Row) => K;
  readonly below: K | undefined;
  readonly limit: number;
}

/** Rows that a source is asked for beyond its share: what one source has more of, another need not be asked for. */
const margin = 3;

/**
 * The highest rows of all sources together, in descending order. Each source is asked for its share first, and for more only if it may
 * hold some of the missing rows: the number of rows that are read depends on how many are wanted, never on how many there are. Two rounds.
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

/** Unread rows of a source are below its last one: the wanted rows without those that are not below it. */
function missingOf<Row, K extends SortKey>(
  { rows, isDone }: Reading<Row, K>,
  found: readonly Row[],
  { keyOf, limit }: Wanted<Row, K>,
): number {
  const last = rows.at(-1);
  if (isDone || last === undefined) return 0;
  return limit - found.filter((row) => keyOf(row) >= keyOf(last)).length;
}
