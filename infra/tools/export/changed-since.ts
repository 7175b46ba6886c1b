import { lastChangeOf } from "../../../shared/db/table/change-stamps.ts";
import { keyOf } from "../../../shared/db/table/item-keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { removals } from "../../../shared/db/writes/removals.ts";
import { removalOf, tombstones } from "../../../shared/db/writes/tombstones.ts";
import type { Change } from "../../../shared/domain/records/change.ts";
import { namedByKey } from "./exported-lines.ts";
import type { Finding } from "./found-lines.ts";

/** The longest import. Its tombstones have the moment at which it began. */
const importMs = 24 * 60 * 60_000;
/** The longest run of a schedule. Its writes have the moment at which it began. */
const scheduleMs = 15 * 60_000;
/** The longest delay between the moment that any other write states and the write itself. */
const writeMs = 5 * 60_000;

/** True unless a record says that its last write was made before a moment, ISO 8601 in UTC. */
export function isChangedSince(item: Item, since: string): boolean {
  const change = lastChangeOf(item);
  if (!change || isErasedSince(item, since)) return true;
  return Date.parse(change.at) + lagOf(change) >= Date.parse(since);
}

/** Erasing a person rewrites a timesheet without another revision or change. So the item has the time of it in `erased_at`. */
function isErasedSince({ erased_at }: Item, since: string): boolean {
  return typeof erased_at === "string" && erased_at >= since;
}

function lagOf({ by }: Change): number {
  return by.startsWith("schedule#") ? scheduleMs : 0;
}

/** The removal since a moment, ISO 8601 in UTC, that an item records; undefined if it records none. */
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

/** The `--since` with which the next export has every change that an export begun at this moment may lack: ISO 8601, in UTC. */
export function nextSince(begunAt: string): string {
  return new Date(Date.parse(begunAt) - writeMs).toISOString();
}
