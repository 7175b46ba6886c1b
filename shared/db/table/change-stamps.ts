import type { Change } from "../../contract/operation.ts";
import type { Item, Key } from "./item-keys.ts";

/** The last write of an item, as the item describes it. */
export interface StampedChange extends Partial<Change> {
  /** True where that write made the item. */
  readonly creates?: true;
}

/** Says who wrote an item last: every write that raises its revision sets this, or removes it. */
export interface ChangeStamp {
  readonly change?: StampedChange | undefined;
}

/** The sort keys of the records whose changes are kept in the history. */
const recordedKinds = new Set(["TIMESHEET", "INVOICE", "JOB", "USER"]);

/** True for the key of a record whose changes are kept in the history. */
function isRecorded({ sk }: Key | Item): boolean {
  return recordedKinds.has(String(sk));
}

/** The stamp of a put: for a recorded item the whole change, for others the request, which log lines need. */
export function stampOf(key: Key | Item, change: Change, { creates = false } = {}): ChangeStamp {
  if (isRecorded(key)) return { change: { ...change, ...(creates && { creates }) } };
  return { change: change.request === undefined ? undefined : { request: change.request } };
}

/** The whole change that an item was written by last; undefined if it does not say so. */
export function lastChangeOf(item: Item | undefined): (Change & StampedChange) | undefined {
  const { change } = (item ?? {}) as ChangeStamp;
  return isWhole(change) ? change : undefined;
}

/** True for what says of a change all that a history keeps. */
export function isWhole(change: StampedChange | undefined): change is Change & StampedChange {
  return [change?.id, change?.by, change?.operation, change?.at].every((each) => typeof each === "string");
}
