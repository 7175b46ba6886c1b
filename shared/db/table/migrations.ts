import { deleteItemAt, putIf } from "./conditional-writes.ts";
import { defineEntity, type StoredItem } from "./entity.ts";
import { keyOf } from "./keys.ts";
import { getItem, type Item, type Key, queryPages } from "./table.ts";

/** A new index or key: code reads from it once every item of an entity has reached the version that brought it. */
export interface Migration {
  readonly name: string;
  readonly entity: string;
  readonly version: number;
}

/** Until it is complete, search entries of release 0.1 are in one partition of `by-mark`. */
export const entriesMigration: Migration = { name: "entries-by-character", entity: "number entry", version: 2 };

/** Every index or key that code reads only after `npm run migrate` has marked it complete. */
export const requiredMigrations: readonly Migration[] = [entriesMigration];

/** How far a run has come, and that a migration is complete. */
interface StoredMigration extends StoredItem {
  /** Of a run: the versions that it leads to. */
  readonly target?: string;
  /** Of a run: where it continues; absent once it has ended. */
  readonly cursor?: Item | undefined;
  /** Of a run: how many items it did not bring to the newest version so far. */
  readonly missed?: number;
  readonly completed_at?: string;
}

const partition = "MIGRATION";
const runKey: Key = { pk: partition, sk: "RUN" };

/** The entity of what migrations keep of themselves. */
export const migrations = defineEntity<StoredMigration>("migration", ({ pk }) => pk === partition);

/** Where a run continues, and how many items it did not bring to the newest version before. */
export interface MigrationPlace {
  readonly cursor: Item | undefined;
  readonly missed: number;
}

/** Where a run to these versions continues. 1 read unit. */
export async function findPlace(target: string): Promise<MigrationPlace> {
  const item = await getItem(runKey, { consistent: true });
  const run = item && migrations.decode(item);
  if (run?.target !== target || !run.cursor) return { cursor: undefined, missed: 0 };
  return { cursor: run.cursor, missed: run.missed ?? 0 };
}

/** Stores where a run continues; without a cursor the next one begins again. 1 write unit. */
export async function keepPlace(target: string, { cursor, missed }: MigrationPlace): Promise<void> {
  await putIf({ Item: migrations.encode({ ...runKey, target, cursor, missed }) });
}

/** Marks a migration as complete. 1 write unit. */
export async function markComplete(name: string, now: Date): Promise<void> {
  await putIf({ Item: migrations.encode({ ...doneKey(name), completed_at: now.toISOString() }) });
}

/** Revokes that any migration is complete, those that only newer code knows as well. 1 write unit each. */
export async function revokeCompletions(): Promise<void> {
  const values = { ":pk": partition, ":start": doneKey("").sk };
  const query = {
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :start)",
    ExpressionAttributeValues: values,
    ConsistentRead: true,
  };
  for await (const page of queryPages(query)) for (const item of page) await deleteItemAt(keyOf(item));
}

/** Whether a migration is marked as complete. Half a read unit. */
export async function isMarkedComplete(name: string): Promise<boolean> {
  const item = await getItem(doneKey(name));
  return item !== undefined && migrations.decode(item).completed_at !== undefined;
}

function doneKey(name: string): Key {
  return { pk: partition, sk: `DONE#${name}` };
}

const lookAgainAfterMs = 60_000;
const known = new Map<string, { readonly isComplete: boolean; readonly readAt: number }>();

/**
 * Access pattern MG2: whether code may read from what a migration brings. Completion is cached for the life of the process,
 * so that revoking it counts for new processes only; its absence is cached for a minute, and for as long as
 * the table does not answer. Half a read unit.
 */
export async function isComplete(name: string): Promise<boolean> {
  const last = known.get(name);
  if (last && (last.isComplete || performance.now() - last.readAt < lookAgainAfterMs)) return last.isComplete;
  try {
    const found = await isMarkedComplete(name);
    known.set(name, { isComplete: found, readAt: performance.now() });
    return found;
  } catch (error) {
    if (!last) throw error;
    return last.isComplete;
  }
}
