import type { Item, Tombstone } from "../../../shared/table/table.ts";
import { keyOf, lastChangeOf } from "../../../shared/table/table.ts";
import { namedByKey, removedLines } from "./exported-lines.ts";
import type { FoundRecord } from "./found-lines.ts";

/** The longest run of a schedule. Its writes have the moment at which it began. */
export const scheduleMs = 15 * 60_000;
/** The longest delay between the moment that any other write states and the write itself. */
export const writeMs = 5 * 60_000;

/** True unless a record says that its last write was made before a moment, ISO 8601 in UTC. */
export function isChangedSince(item: Item, since: string): boolean {
  const change = lastChangeOf(item);
  // Erasing a person rewrites a timesheet without another revision or change.
  if (!change || isSince(item.erased_at, since)) return true;
  const lagMs = change.by.startsWith("schedule#") ? scheduleMs : 0;
  return Date.parse(change.at) + lagMs >= Date.parse(since);
}

/** The removal that a tombstone records; undefined if it was made before a moment, ISO 8601 in UTC. */
export function readRemoval(tombstone: Item & Tombstone, since: string): FoundRecord | undefined {
  const named = namedByKey(keyOf(tombstone));
  const { removed_at, version } = tombstone;
  return named && isSince(removed_at, since) ? { ...named, lines: removedLines(named, version) } : undefined;
}

/** True if a record was made in the place of one that was removed since a moment. */
export function isRemadeSince({ removed_before }: Item, since: string): boolean {
  return isSince(removed_before, since);
}

function isSince(moment: unknown, since: string): boolean {
  return typeof moment === "string" && moment >= since;
}

/** The `--since` with which the next export has every change that an export begun at this moment may lack: ISO 8601, in UTC. */
export function nextSince(begunAt: string): string {
  return new Date(Date.parse(begunAt) - writeMs).toISOString();
}
