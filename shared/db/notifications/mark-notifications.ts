import { chunksOf, readAhead } from "../../batches.ts";
import type { Found } from "../../domain/paging/paging.ts";
import { recordsNotFound } from "../records/find-records.ts";
import { readBatch } from "../table/batch-reads.ts";
import { paces, retry } from "../table/retry.ts";
import { queryPages } from "../table/table.ts";
import { maxTransactionWrites, transact } from "../table/transaction.ts";
import { replaceItem, type WriteContext } from "../writes/write-plans.ts";
import { addCounts } from "./notification-counts.ts";
import {
  idOfUnread,
  type Notification,
  notificationKey,
  notifications,
  type StoredNotification,
  showNotifications,
  unreadKeyOf,
  unreadMark,
} from "./notifications.ts";

/** The context in which notifications are marked. */
interface MarkContext extends Pick<WriteContext, "change"> {}

/** Most notifications in the answer if none were named (D27). */
const maxShown = 20;
/** The part of a function's time that is reserved for the last transaction, a second of conflicts, and the answer. */
export const lastTransactionMs = 6_500;
/** Most notifications of one transaction; the counts are one more write. */
const mostTogether = maxTransactionWrites - 1;
/** Only the first page of the index costs a round trip; further ones are read beside a transaction. */
const idsPerPage = 10 * mostTogether;

/**
 * Access pattern N5: marks a user's notifications as read at a time, or as unread with null, all or none, and updates
 * the counts (D26, D27). Returns them in the order of the ids. Refuses with `records_not_found` if one is missing or
 * another user's, and as `busy` after many lost races. n read units, two round trips.
 */
export async function markNotifications(
  userId: number,
  ids: readonly number[],
  readAt: Date | null,
  context: MarkContext,
): Promise<Found<Notification>> {
  const read = async () => {
    const stored = await readOwn(userId, ids);
    const missing = ids.filter((_, at) => stored[at] === undefined);
    if (missing.length > 0) throw recordsNotFound(missing);
    return stored.filter((item) => item !== undefined);
  };
  const marked = await markTogether(userId, read, readAt, context);
  return { ...showNotifications(marked.map(({ item }) => item)), total: marked.length };
}

/**
 * Access pattern N6: marks all of a user's unread notifications as read, newest first, in transactions of up to 99,
 * each with its counts. Returns the newest of them. If less than 6.5 seconds of `remainingMs` are left, no further
 * transaction begins: the rest stays unread, and the next call marks it. The index may be a moment behind, so a
 * notification from just before the call may stay unread too. For every 99: 99 read units, a tenth of an index page,
 * 200 write units and one round trip, because the next ones are read meanwhile; two round trips before the first.
 */
export async function markAllRead(
  userId: number,
  readAt: Date,
  { change, remainingMs }: Pick<MarkContext, "change"> & { readonly remainingMs: () => number },
): Promise<Found<Notification>> {
  const newest: StoredNotification[] = [];
  let total = 0;
  let isFirst = true;
  for await (const unread of readAhead(unreadInTurn(userId))) {
    if (!isFirst && remainingMs() < lastTransactionMs) break;
    isFirst = false;
    const ids = unread.map(({ id }) => id);
    const read = async (race: number) => (race === 0 ? unread : readPresent(userId, ids));
    const changed = (await markTogether(userId, read, readAt, { change })).filter(({ isChanged }) => isChanged);
    newest.push(...changed.slice(0, maxShown - newest.length).map(({ item }) => item));
    total += changed.length;
  }
  return { ...showNotifications(newest), total };
}

interface Marked {
  readonly item: StoredNotification;
  readonly isChanged: boolean;
}

/**
 * Reads notifications and marks them, on condition that none has changed meanwhile. After a lost race it reads them
 * again, with the race's number.
 */
async function markTogether(
  userId: number,
  read: (race: number) => Promise<readonly StoredNotification[]>,
  readAt: Date | null,
  { change }: MarkContext,
): Promise<Marked[]> {
  return retry(paces.record, async (race) => {
    const stored = await read(race);
    const marked = stored.map((item) => mark(userId, item, readAt));
    const after = marked.flatMap(({ item, isChanged }) => (isChanged ? [item] : []));
    if (after.length === 0) return marked;
    const before = stored.filter((_, at) => marked[at]?.isChanged);
    const writes = before.map((item, at) =>
      replaceItem(item, notifications.encode(after[at] ?? item), { now: new Date(), change, notifies: true }),
    );
    const counts = addCounts(userId, before, after);
    const failed = await transact([...writes, ...counts]);
    return failed.length === 0 ? marked : undefined;
  });
}

/** A notification after marking. One that is already marked so keeps its time of reading. */
function mark(userId: number, item: StoredNotification, readAt: Date | null): Marked {
  const { id, record } = item;
  if ((record.read_at === null) === (readAt === null)) return { item, isChanged: false };
  const read_at = readAt?.toISOString() ?? null;
  const next = { ...item, record: { ...record, read_at }, ...unreadKeyOf(userId, id, { read_at }) };
  return { item: next, isChanged: true };
}

async function readOwn(userId: number, ids: readonly number[]): Promise<(StoredNotification | undefined)[]> {
  const items = await readBatch(ids.map((id) => notificationKey(userId, id)));
  return items.map((item) => item && notifications.decode(item));
}

async function readPresent(userId: number, ids: readonly number[]): Promise<StoredNotification[]> {
  return (await readOwn(userId, ids)).filter((item) => item !== undefined);
}

/** The unread notifications in the index, newest first, as many at a time as a transaction takes. */
async function* unreadInTurn(userId: number): AsyncGenerator<StoredNotification[]> {
  const pages = queryPages({
    IndexName: "by-mark",
    KeyConditionExpression: "mark_key = :unread",
    ExpressionAttributeValues: { ":unread": unreadMark(userId, 0).mark_key },
    ScanIndexForward: false,
    Limit: idsPerPage,
  });
  for await (const page of pages) {
    for (const ids of chunksOf(page.map(idOfUnread), mostTogether)) yield readPresent(userId, ids);
  }
}
