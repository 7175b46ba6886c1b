import { operations } from "../../../shared/contract/operations.ts";
import { idempotencyMs } from "../../../shared/db/idempotent-runs.ts";
import { lastChangeOf } from "../../../shared/db/table/change-stamps.ts";
import { keyOf } from "../../../shared/db/table/item-keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { removals } from "../../../shared/db/writes/removals.ts";
import { removalOf, tombstones } from "../../../shared/db/writes/tombstones.ts";
import type { Change } from "../../../shared/domain/records/change.ts";
import { namedByKey } from "./exported-lines.ts";
import type { Finding } from "./found-lines.ts";

/** A run of a request that another run began may write its change as late as this: under the moment of the first. */
const laterRuns = new Set(
  Object.values(operations).flatMap((each) => ("idempotent" in each && each.idempotent ? [each.name] : [])),
);
/** No import takes longer, whose tombstones have the moment at which it began. */
const importMs = 24 * 60 * 60_000;
/** No run of a schedule takes longer, whose writes have the moment at which it began. */
const scheduleMs = 15 * 60_000;
/** No other write is made later than this after the moment that it says. */
const writeMs = 5 * 60_000;

/** True unless a record says that its last write was made before a moment, ISO 8601 in UTC. */
export function isChangedSince(item: Item, since: string): boolean {
  const change = lastChangeOf(item);
  if (!change || isErasedSince(item, since)) return true;
  return Date.parse(change.at) + lagOf(change) >= Date.parse(since);
}

/** Whoever was forgotten is taken out of a timesheet without another revision, and so without another change. */
function isErasedSince({ erased_at }: Item, since: string): boolean {
  return typeof erased_at === "string" && erased_at >= since;
}

function lagOf({ by, operation }: Change): number {
  if (laterRuns.has(operation)) return idempotencyMs;
  return by.startsWith("schedule#") ? scheduleMs : 0;
}

/** What an item says of a removal since a moment, ISO 8601 in UTC; undefined where it says nothing of one. */
export function readRemoval(item: Item, since: string): Finding | undefined {
  const key = keyOf(item);
  if (removals.matches(key)) {
    const { removed, removed_at } = removals.decode(item);
    const named = namedByKey(removed);
    return named && removed_at >= since ? { ...named, isRemoved: true } : undefined;
  }
  if (!tombstones.matches(key)) return undefined;
  const tombstone = tombstones.decode(item);
  const { removed, at } = removalOf(tombstone);
  const named = namedByKey(removed);
  const isSince = at.getTime() + importMs >= Date.parse(since);
  return named && isSince ? { ...named, version: tombstone.version } : undefined;
}

/** From when on the next export has to look for what this one may lack, which began then: ISO 8601, in UTC. */
export function nextSince(begunAt: string): string {
  return new Date(Date.parse(begunAt) - writeMs).toISOString();
}
