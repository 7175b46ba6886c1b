/** Rows in descending order of a key of theirs, which are read from anywhere down. */
export interface Source<Row> {
  /** The highest rows below a key, from the top without one: at most `limit`, fewer only where no more follow. */
  read(below: string | undefined, limit: number): Promise<readonly Row[]>;
}

/** What is known of a source: its rows so far, and how many it was asked for. */
interface Reading<Row> {
  readonly source: Source<Row>;
  readonly rows: Row[];
  isDone: boolean;
}

/** Which rows of several sources are wanted. */
export interface Wanted<Row> {
  /** The key that all sources sort by, no two rows with the same one. */
  readonly keyOf: (row: Row) => string;
  readonly below: string | undefined;
  readonly limit: number;
}

/** Rows that a source is asked for beyond its share: what one source has more of, another need not be asked for. */
const margin = 3;

/**
 * The highest rows of all sources together, in descending order. Each source is asked for its share first, and those that may hold more
 * of what is wanted for all of it: what is read depends on how many rows are wanted, never on how many there are. Two rounds.
 */
export async function mergeReads<Row>(sources: readonly Source<Row>[], wanted: Wanted<Row>): Promise<Row[]> {
  const { keyOf, limit } = wanted;
  const readings = sources.map((source): Reading<Row> => ({ source, rows: [], isDone: false }));
  const share = Math.min(limit, Math.ceil(limit / sources.length) + margin);
  await Promise.all(readings.map((each) => readOn(each, wanted, share)));
  const last = highestOf(readings, wanted)[limit - 1];
  const open = readings.filter((each) => mayHoldMore(each, last && keyOf(last), keyOf));
  await Promise.all(open.map((each) => readOn(each, wanted, limit)));
  return highestOf(readings, wanted);
}

function highestOf<Row>(readings: readonly Reading<Row>[], { keyOf, limit }: Wanted<Row>): Row[] {
  const rows = readings.flatMap((each) => each.rows);
  return rows.sort((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1)).slice(0, limit);
}

async function readOn<Row>(reading: Reading<Row>, { keyOf, below }: Wanted<Row>, limit: number): Promise<void> {
  const last = reading.rows.at(-1);
  const rows = await reading.source.read(last ? keyOf(last) : below, limit);
  reading.rows.push(...rows);
  reading.isDone = rows.length < limit;
}

/** True where rows that were not read may be above the last one that is wanted. */
function mayHoldMore<Row>(
  { rows, isDone }: Reading<Row>,
  least: string | undefined,
  keyOf: (row: Row) => string,
): boolean {
  const last = rows.at(-1);
  return !isDone && last !== undefined && (least === undefined || keyOf(last) > least);
}
