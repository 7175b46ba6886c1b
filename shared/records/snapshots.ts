import { busy } from "../contract/refusals.ts";
import { queueRefreshes } from "../messages/queue-messages.ts";
import { chunksOf } from "../run/batches.ts";
import type { ListName } from "../table/counters.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { maxBatchReads, readBatch } from "../table/reads.ts";
import { paces, retry } from "../table/retry.ts";
import type { Key } from "../table/table.ts";

/** Numbers by name. */
export type Figures = Readonly<Record<string, number>>;

/** What all companies have together, as the worker `refresh-totals` has read it. It writes nothing while nobody asks. */
export interface StoredSnapshot extends StoredItem {
  /** When the worker began to read, in milliseconds since 1970; 0 until its first reading ends. */
  readonly read_at: number;
  /** While the worker reads: when another call of it may begin, in milliseconds since 1970. */
  readonly held_until?: number;
  /**
   * The sums of a month's figures, or of a whole list's; a 1 for each month that a list has counters in; or the number
   * of `companies`.
   */
  readonly figures?: Figures;
}

/** The entity of snapshots. */
export const snapshots = defineEntity<StoredSnapshot>("snapshot", ({ pk }) => pk.startsWith("TOTALS#"));

/** The list of all companies, beside those of their records. */
export const companyList = "COMPANIES";

type SnapshotList = ListName | typeof companyList;

/** In place of a month: the months that a list has counters in. */
export const knownMonths = "MONTHS";

/** Key of a list's snapshot of a month, of `ALL` or of its known months. */
export function snapshotKey(list: SnapshotList, month: string): Key {
  return { pk: `TOTALS#${list}`, sk: month };
}

/** An older snapshot is refreshed while it is answered. */
export const freshMs = 30_000;
/** An older snapshot is waited for (D30). */
const usableMs = 60_000;

/**
 * Access pattern L5: figures of all companies that are at most a minute old, in the order of the months. Half a read unit
 * each. Asks for those that are not fresh, and waits for those that are too old: refuses with `busy` after eight seconds.
 */
export async function readSnapshots(list: SnapshotList, months: readonly string[]): Promise<Figures[]> {
  const keys = months.map((month) => snapshotKey(list, month));
  const read = async (count: number) => {
    const chunks = chunksOf(keys, maxBatchReads).map((some) => readBatch(some, { consistent: false }));
    const found = (await Promise.all(chunks)).flat().map((item) => (item ? snapshots.decode(item) : undefined));
    const now = Date.now();
    const due = months.filter((_, at) => isDue(found[at], now));
    if (count === 0) await queueRefreshes(due.map((month) => ({ list, month })));
    const usable = found.flatMap((each) => (each?.figures && each.read_at >= now - usableMs ? [each.figures] : []));
    return usable.length === keys.length ? usable : undefined;
  };
  return retry(paces.snapshot, read, () => {
    throw busy("The totals of all companies are being read");
  });
}

function isDue(found: StoredSnapshot | undefined, now: number): boolean {
  return !found || (found.read_at < now - freshMs && (found.held_until ?? 0) < now);
}
