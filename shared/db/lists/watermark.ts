import { defineEntity, type StoredItem } from "../table/entity.ts";
import { getItem, type Item, tryUpdate, updateIf } from "../table/table.ts";
import type { TableChange } from "../table/table-changes.ts";
import { updateOf } from "../table/updates.ts";
import { readHeartbeat } from "./heartbeats.ts";

/** How far the totals are, by heartbeat: `h<number>` is when its last write began that was counted up to; 0 before the first. */
interface StoredWatermark extends StoredItem {
  readonly [heartbeat: `h${number}`]: number | undefined;
}

const key = { pk: "WATERMARK", sk: "TOTALS" } as const;

/** The entity of the watermark: one item, how far the totals are. */
export const watermarks = defineEntity<StoredWatermark>("watermark", ({ pk, sk }) => pk === key.pk && sk === key.sk);

/**
 * Access pattern TY3: raises the watermark by the heartbeats of a batch, once all changes before them are counted. It never
 * goes back: a heartbeat that comes again, late, or of a number that is no longer written changes nothing. None counts as
 * later than `now`, as the clock that it was written by may be wrong. A quarantined change does not stop it, as it would stop
 * for good: that change has an alarm of its own. 1 write unit a batch with heartbeats, and 1 more where some were late.
 */
export async function raiseWatermark(changes: readonly TableChange[], now: Date): Promise<void> {
  let open = latestOf(changes, now);
  while (open.length > 0) {
    const when = open.map(([name]) => `${name} < :${name}`).join(" AND ");
    const values = Object.fromEntries(open.map(([name, moment]) => [`:${name}`, moment]));
    const { isWritten, item } = await tryUpdate(updateOf(key, { when, values, set: Object.fromEntries(open) }));
    if (isWritten) return;
    const reached = momentsOf(item);
    open = open.filter(([name, moment]) => (reached.get(name) ?? moment) < moment);
  }
}

/** The latest moment of each heartbeat by its name. */
function latestOf(changes: readonly TableChange[], now: Date): [string, number][] {
  const latest = new Map<string, number>();
  for (const { number, begunAt } of changes.flatMap((change) => readHeartbeat(change) ?? [])) {
    const moment = Math.min(begunAt, now.getTime());
    latest.set(`h${number}`, Math.max(moment, latest.get(`h${number}`) ?? moment));
  }
  return [...latest];
}

/**
 * Access pattern TY4: makes the watermark one of so many heartbeats. New ones begin where the least of the others is, so that
 * it goes neither back nor ahead; those that are written no more are left out. 1 read unit, and 1 write unit where the
 * number changes.
 */
export async function resizeWatermark(count: number): Promise<void> {
  const reached = momentsOf(await getItem(key, { consistent: true }));
  const wanted = Array.from({ length: count }, (_, number) => `h${number}`);
  const added = wanted.filter((name) => !reached.has(name));
  const remove = [...reached.keys()].filter((name) => !wanted.includes(name));
  if (added.length === 0 && remove.length === 0) return;
  const [[last, least] = []] = [...reached].sort(([, one], [, other]) => one - other);
  const setOnce = Object.fromEntries(added.map((name) => [name, least ?? 0]));
  // Where the last of them came through meanwhile, the new ones would begin too early: the next call finds where it is.
  await updateIf(updateOf(key, { where: last === undefined ? {} : { [last]: least }, setOnce, remove }));
}

/**
 * Access pattern TY5: the moment up to which all changes are counted, whatever shard they are in; undefined before every
 * heartbeat has come through once. Eventually consistent, 0.5 read units.
 */
export async function findWatermark(): Promise<Date | undefined> {
  const least = leastOf(momentsOf(await getItem(key)));
  return least === 0 ? undefined : new Date(least);
}

function leastOf(moments: ReadonlyMap<string, number>): number {
  return moments.size === 0 ? 0 : Math.min(...moments.values());
}

function momentsOf(item: Item | undefined): Map<string, number> {
  const entries = Object.entries(item ? watermarks.decode(item) : {}).filter(([name]) => /^h\d+$/.test(name));
  return new Map(entries as [string, number][]);
}
