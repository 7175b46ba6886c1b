import { maxMarkedTogether } from "../../contract/notifications.ts";
import type { Found } from "../../domain/paging/paging.ts";
import { recordsNotFound } from "../records/records.ts";
import { readBatch } from "../table/batch-reads.ts";
import { retryRaces } from "../table/conflicts.ts";
import { queryPages } from "../table/table.ts";
import { transact } from "../table/transaction.ts";
import { replaceItem } from "../writes/changes.ts";
import { addCounts } from "./notification-counts.ts";
import {
  idOfUnread,
  type Notification,
  notificationKey,
  notifications,
  type StoredNotification,
  toNotifications,
  unreadKeyOf,
  unreadMark,
} from "./notifications.ts";

/** Most notifications that are shown of those marked without being named (D27). */
const maxShown = 20;
/** How long one request begins further chunks: the rest of its function's time is for the last of them. */
export const markAllMs = 17_000;
/** DynamoDB takes 4 MB; names of attributes and the counts count as well. */
const mostTransactionBytes = 3_500_000;

/**
 * Access pattern N5: marks a user's notifications as read at a moment, or with null as unread, all or none, and changes the
 * counts with them (D26, D27). Gives them in the order of the ids. Refuses with `records_not_found` when one is missing or
 * another user's, and as `busy` after many lost races. `token` names the first transaction (D32). n read units, two round
 * trips.
 */
export async function markNotifications(
  userId: number,
  ids: readonly number[],
  readAt: Date | null,
  token?: string,
): Promise<Notification[]> {
  const read = async () => {
    const stored = await readOwn(userId, ids);
    const missing = ids.filter((_, at) => stored[at] === undefined);
    if (missing.length > 0) throw recordsNotFound(missing);
    return stored.filter((item) => item !== undefined);
  };
  const marked = await markTogether(userId, read, readAt, token);
  return toNotifications(marked.map(({ item }) => item));
}

/**
 * Access pattern N6: marks all notifications as read that a user has not read, newest first, in transactions of up to 90,
 * each with its counts; gives the newest of them. After 17 seconds, or `patienceMs`, no further one begins: the rest stays unread, and the next
 * call marks it. The index may be a moment behind: what came in just before the call may stay unread as well. For
 * every 90: 90 read units and an index page, three round trips.
 */
export async function markAllRead(
  userId: number,
  readAt: Date,
  { patienceMs = markAllMs }: { readonly patienceMs?: number } = {},
): Promise<Found<Notification>> {
  const startedAt = performance.now();
  const newest: StoredNotification[] = [];
  let total = 0;
  for await (const ids of unreadIds(userId)) {
    for (let open: readonly number[] = ids; open.length > 0; ) {
      let later: readonly number[] = [];
      const read = async () => {
        const [fitting, others] = fitTransaction((await readOwn(userId, open)).filter((item) => item !== undefined));
        later = others.map(({ id }) => id);
        return fitting;
      };
      const changed = (await markTogether(userId, read, readAt)).filter(({ isChanged }) => isChanged);
      newest.push(...changed.slice(0, maxShown - newest.length).map(({ item }) => item));
      total += changed.length;
      open = later;
    }
    if (performance.now() - startedAt >= patienceMs) break;
  }
  return { items: toNotifications(newest), total };
}

/** As many notifications as a transaction takes by their bytes, and the others: release 0.1 took larger ones. */
function fitTransaction(stored: readonly StoredNotification[]): [StoredNotification[], StoredNotification[]] {
  let bytes = 0;
  const end = stored.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item));
    return bytes > mostTransactionBytes;
  });
  const fitting = end < 0 ? stored.length : Math.max(1, end);
  return [stored.slice(0, fitting), stored.slice(fitting)];
}

interface Marked {
  readonly item: StoredNotification;
  readonly isChanged: boolean;
}

/** Reads notifications and marks them, if none of them has changed meanwhile; else reads them again. */
async function markTogether(
  userId: number,
  read: () => Promise<readonly StoredNotification[]>,
  readAt: Date | null,
  token?: string,
): Promise<Marked[]> {
  return retryRaces(async (race) => {
    const stored = await read();
    const marked = stored.map((item) => mark(userId, item, readAt));
    const after = marked.flatMap(({ item, isChanged }) => (isChanged ? [item] : []));
    if (after.length === 0) return marked;
    const before = stored.filter((_, at) => marked[at]?.isChanged);
    const writes = before.map((item, at) =>
      replaceItem(item, notifications.encode(after[at] ?? item), { now: new Date(), notifies: true }),
    );
    const counts = addCounts(userId, before, after);
    const failed = await transact([...writes, ...counts], { token: race === 0 ? token : undefined });
    return failed.length === 0 ? marked : undefined;
  });
}

/** A notification as marking leaves it: one that is marked so already keeps the moment at which it was read. */
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

/** The ids that the index knows as unread, newest first, up to 90 at a time. */
async function* unreadIds(userId: number): AsyncGenerator<number[]> {
  const pages = queryPages({
    IndexName: "by-mark",
    KeyConditionExpression: "mark_key = :unread",
    ExpressionAttributeValues: { ":unread": unreadMark(userId, 0).mark_key },
    ScanIndexForward: false,
    Limit: maxMarkedTogether,
  });
  for await (const page of pages) yield page.map(idOfUnread);
}
