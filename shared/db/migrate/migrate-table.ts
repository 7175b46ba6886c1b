import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { sleep } from "../../backoff.ts";
import { inParallel } from "../../batches.ts";
import { settings } from "../../settings.ts";
import type { Entity } from "../table/entity.ts";
import { keyOf, publicNameOf } from "../table/keys.ts";
import {
  findPlace,
  isMarkedComplete,
  keepPlace,
  type Migration,
  markComplete,
  revokeCompletions,
} from "../table/migrations.ts";
import type { Pace } from "../table/retry.ts";
import { documentClient, type Item, scanPage } from "../table/table.ts";
import { type RewriteOptions, type Rewritten, rewriteItem } from "./rewrite-item.ts";

/** What a run has done so far. */
export interface MigrationProgress {
  /** Items looked at. */
  readonly seen: number;
  /** Items in the table as far as it says; it counts every six hours in AWS. */
  readonly total: number | undefined;
  /** Items rewritten, or in a dry run those that would be, by the name of their entity. */
  readonly rewritten: ReadonlyMap<string, number>;
}

/** What a run has done. */
export interface MigrationSummary extends MigrationProgress {
  /** Items of a newer version than this code has, and of no kind that it knows; both are left as they are. */
  readonly newer: number;
  readonly unknown: number;
  /** The keys of items that could not be upgraded. */
  readonly damaged: readonly string[];
  /** The keys of items that others wrote each time they were tried. */
  readonly contended: readonly string[];
  /** How many items the runs that this one went on from did not bring to the newest version. */
  readonly missedBefore: number;
  /** True where the run went on from an earlier one. */
  readonly isResumed: boolean;
  /** The migrations that the run marked as complete, and those that are not. */
  readonly completed: readonly string[];
  readonly incomplete: readonly string[];
}

/** How a run reads and writes. */
export interface MigrateOptions {
  readonly entities: readonly Entity<object>[];
  /** The new indexes and keys that a complete run marks. */
  readonly required: readonly Migration[];
  /** Most writes a second; each goes through the indexes of its item as well. */
  readonly writesPerSecond: number;
  readonly isDryRun?: boolean;
  /** True to look at the whole table, and first to revoke that any migration is complete, whatever an earlier run has done. */
  readonly restarts?: boolean;
  /** Items read at once; the place is kept after each page. */
  readonly itemsPerPage?: number;
  /** How often an item is tried that others write meanwhile. */
  readonly pace?: Pace;
  /** Is shown every item as it was found. */
  readonly onItem?: (item: Item) => Promise<void>;
  readonly onProgress?: (progress: MigrationProgress) => void;
}

const usualItemsPerPage = 500;
const parallelWrites = 16;

/**
 * Access pattern MG1: brings every item of the table to the newest version of its entity, page by page. The place is stored
 * in the table after each page: an interrupted run can be continued, and repeating a completed one changes nothing. Safe
 * beside traffic. 1 read unit for every 4 KB of the table; a consistent read and a write for each item that is older.
 */
export async function migrateTable(options: MigrateOptions): Promise<MigrationSummary> {
  const { isDryRun = false, itemsPerPage = usualItemsPerPage, onItem, onProgress } = options;
  const target = targetOf(options);
  const { place, pending } = await begin(options, target);
  let { cursor } = place;
  const total = await countItems();
  const counts = createCounts();
  const takeTurn = createPace(options.writesPerSecond);
  const missed = () => place.missed + counts.damaged.length + counts.contended.length;
  do {
    const page = await scanPage({ ConsistentRead: true, Limit: itemsPerPage, ExclusiveStartKey: cursor });
    const lookOptions = { ...options, pending, isDryRun, takeTurn };
    await inParallel(page.items, parallelWrites, async (item) => {
      await onItem?.(item);
      await look(item, lookOptions, counts);
    });
    cursor = page.lastKey;
    if (!isDryRun) await keepPlace(target, { cursor, missed: missed() });
    onProgress?.({ ...counts, total });
  } while (cursor);
  const names = pending.map(({ name }) => name);
  const isWhole = !isDryRun && missed() === 0;
  if (isWhole) for (const name of names) await markComplete(name, new Date());
  const [completed, incomplete] = isWhole ? [names, []] : [[], names];
  return { ...counts, total, isResumed: place.cursor !== undefined, missedBefore: place.missed, completed, incomplete };
}

/** Where the run begins, and the migrations that it is to complete. */
async function begin({ required, isDryRun = false, restarts = false }: MigrateOptions, target: string) {
  const start = { cursor: undefined, missed: 0 };
  if (restarts && !isDryRun) {
    // The place goes first: a run that went on from it would mark what it has not looked at.
    await keepPlace(target, start);
    await revokeCompletions();
  }
  const place = isDryRun || restarts ? start : await findPlace(target);
  return { place, pending: restarts ? required : await findPending(required) };
}

/** Gives turns at most so many times a second. */
export function createPace(perSecond: number): () => Promise<void> {
  let next = performance.now();
  return async () => {
    const now = performance.now();
    next = Math.max(next, now) + 1000 / perSecond;
    const pause = next - 1000 / perSecond - now;
    if (pause >= 1) await sleep(pause);
  };
}

type Counts = ReturnType<typeof createCounts>;

function createCounts() {
  const damaged: string[] = [];
  const contended: string[] = [];
  return { seen: 0, newer: 0, unknown: 0, rewritten: new Map<string, number>(), damaged, contended };
}

async function look(
  item: Item,
  { entities, pending, ...options }: MigrateOptions & Pick<RewriteOptions, "pending" | "isDryRun" | "takeTurn">,
  counts: Counts,
): Promise<void> {
  const key = keyOf(item);
  const entity = entities.find(({ matches }) => matches(key));
  const own = pending.filter((migration) => migration.entity === entity?.name);
  const outcome = entity ? await rewriteItem(item, { ...options, entity, pending: own }) : "unknown";
  count(counts, outcome, entity?.name ?? "", item);
}

function count(counts: Counts, outcome: Rewritten | "unknown", name: string, item: Item): void {
  counts.seen += 1;
  if (outcome === "newer" || outcome === "unknown") counts[outcome] += 1;
  if (outcome === "rewritten") counts.rewritten.set(name, (counts.rewritten.get(name) ?? 0) + 1);
  if (outcome === "damaged" || outcome === "contended") counts[outcome].push(publicNameOf(item));
}

async function findPending(required: readonly Migration[]): Promise<Migration[]> {
  const marks = await Promise.all(required.map(({ name }) => isMarkedComplete(name)));
  return required.filter((_, at) => !marks[at]);
}

/** A run continues an earlier one only where both lead to the same versions. */
function targetOf({ entities, required }: MigrateOptions): string {
  const versions = entities.map(({ name, version }) => `${name} ${version}`);
  return [...versions, ...required.map(({ name }) => name)].sort().join(", ");
}

async function countItems(): Promise<number | undefined> {
  const { Table } = await documentClient().send(new DescribeTableCommand({ TableName: settings.tableName() }));
  return Table?.ItemCount || undefined;
}
