import { isDeepStrictEqual } from "node:util";
import { notifications } from "../../../shared/notifications/notifications.ts";
import { pins } from "../../../shared/people/pins.ts";
import { historyItems } from "../../../shared/records/history.ts";
import { listedItems } from "../../../shared/records/items.ts";
import { paces, retry } from "../../../shared/table/retry.ts";
import type { Item } from "../../../shared/table/table.ts";
import { keyOf, liveItem, scanPages } from "../../../shared/table/table.ts";
import type { Patch } from "../../../shared/table/writes.ts";
import { deleteIf, tryUpdate } from "../../../shared/table/writes.ts";
import { patiently } from "../aws/patience.ts";
import { isDriver, learnNames, namesDriver, type Person, withoutPerson } from "./person.ts";

/** The number of traces of a person in others' items, by kind of item. */
export type Traces = Readonly<Record<"timesheet" | "history" | "notification", number>>;

/** Nothing found. */
export const noTraces: Traces = { timesheet: 0, history: 0, notification: 0 };

/** Called with the number of items of each page, and whether it is the first of a pass over the table. */
export type OnRead = (items: number, isFirst: boolean) => void;

/** A search for a person. A dry run changes nothing. */
export interface TraceSearch {
  readonly person: Person;
  readonly isDryRun: boolean;
  /** Their timesheets, as far as they are known. The search adds others. */
  readonly timesheetIds: Set<number>;
  readonly onRead?: OnRead | undefined;
}

const starts = {
  ":timesheet": "TIMESHEET",
  ":notification": "NOTIFICATION#",
  ":history": "HISTORY#TIMESHEET#",
  ":pin": "PIN#",
};

/** Scans the whole table once and takes a person out of others' items. 1 read unit for every 4 KB. */
export async function replaceTraces(search: TraceSearch): Promise<Traces> {
  const traces = { ...noTraces };
  const pages = scanPages({
    FilterExpression:
      "begins_with(sk, :timesheet) OR begins_with(sk, :notification) OR begins_with(pk, :history) OR begins_with(pk, :pin)",
    ExpressionAttributeValues: starts,
  });
  let isFirst = true;
  for await (const { items, read } of pages) {
    for (const item of items) {
      const found = await replaceIn(item, search);
      if (found) traces[found] += 1;
    }
    search.onRead?.(read, isFirst);
    isFirst = false;
  }
  return traces;
}

async function replaceIn(item: Item, search: TraceSearch): Promise<keyof Traces | undefined> {
  const key = keyOf(item);
  const is = (entity: { matches(key: ReturnType<typeof keyOf>): boolean }) => entity.matches(key);
  if (is(listedItems.TIMESHEETS)) return (await rewrite(item, search, ofTimesheet)) ? "timesheet" : undefined;
  if (is(historyItems)) return (await rewrite(item, search, ofHistory)) ? "history" : undefined;
  if (is(notifications)) return (await rewrite(item, search, ofNotification)) ? "notification" : undefined;
  if (is(pins) && !search.isDryRun) await deletePin(item, search.person);
  return undefined;
}

/** The patch that takes a person out of an item; undefined if the item has no trace of them. */
type Rewriting = (item: Item, search: TraceSearch) => Patch | undefined;

/**
 * Takes a person out of an item: true if a trace was in it. Where others have written it since it was read, decides again
 * about what they wrote. If they are faster for many tries, the next pass finds it.
 */
async function rewrite(item: Item, search: TraceSearch, patchOf: Rewriting): Promise<boolean> {
  let current: Item | undefined = item;
  const attempt = async () => {
    const patch = current && patchOf(current, search);
    if (!patch) return false;
    if (search.isDryRun) return true;
    const tried = await patiently(() => tryUpdate(keyOf(item), patch));
    current = liveItem(tried.item);
    return tried.isWritten || undefined;
  };
  return retry<boolean>(paces.record, attempt, () => true);
}

/** Deletes a pin of the person. Its key is a keyed hash of their login, and it lasts two days even after a removal. */
async function deletePin(item: Item, person: Person): Promise<void> {
  const { pk, sk, user_id } = pins.decode(item);
  if (user_id !== person.id) return;
  const condition = { ConditionExpression: "user_id = :user", ExpressionAttributeValues: { ":user": user_id } };
  await patiently(() => deleteIf({ Key: { pk, sk }, ...condition }));
}

/**
 * The revision stays. A new one would record the name in the history and notify users; an export finds the item by its
 * time.
 */
function ofTimesheet(item: Item, { person, timesheetIds }: TraceSearch): Patch | undefined {
  const { id, revision, record } = listedItems.TIMESHEETS.decode(item);
  if (!isDriver(person, record.driver)) return undefined;
  timesheetIds.add(id);
  learnNames(person, record.driver);
  const next = withoutPerson(record, person, true);
  if (isDeepStrictEqual(next, record)) return undefined;
  return { where: { revision }, set: { record: next, erased_at: new Date().toISOString() } };
}

function ofHistory(item: Item, { person, timesheetIds }: TraceSearch): Patch | undefined {
  const { pk, record } = historyItems.decode(item);
  const { before, after } = record;
  const [was, is] = [before, after].map((text): unknown => text && JSON.parse(text));
  const isAbout = timesheetIds.has(Number(pk.split("#")[2])) || namesDriver([was, is], person);
  const next = withoutPerson([was, is], person, isAbout);
  if (isDeepStrictEqual(next, [was, is])) return undefined;
  const [nextWas, nextIs] = next as unknown[];
  const set = {
    ...(was ? { "record.before": JSON.stringify(nextWas) } : {}),
    ...(is ? { "record.after": JSON.stringify(nextIs) } : {}),
  };
  return { where: { "record.before": before, "record.after": after }, set };
}

function ofNotification(item: Item, { person, timesheetIds }: TraceSearch): Patch | undefined {
  const { user_id, revision, record } = notifications.decode(item);
  const isAbout = /^timesheet$/i.test(record.record_type) && timesheetIds.has(record.record_id);
  if (user_id === person.id || !isAbout) return undefined;
  // It says on which day the person worked.
  const { date: _, ...params } = record.params;
  const next = withoutPerson({ ...record, params }, person, true);
  if (isDeepStrictEqual(next, record)) return undefined;
  return { where: { revision }, set: { record: next } };
}
