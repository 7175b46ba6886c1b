import { chunksOf, readAhead } from "../../batches.ts";
import type { Found } from "../../domain/paging/paging.ts";
import {
  type ChangeContext,
  changeKey,
  changes,
  findEarlier,
  type MarkedAll,
  newChange,
  putChange,
  type StoredChange,
} from "../records/changes.ts";
import { requireAll } from "../records/find-records.ts";
import { readBatch } from "../table/batch-reads.ts";
import { putIf, tryUpdate } from "../table/conditional-writes.ts";
import { lacks } from "../table/conditions.ts";
import { paces, retry, retryConflicts } from "../table/retry.ts";
import { queryPages } from "../table/table.ts";
import { maxTransactionWrites, type TransactionWrite, transactOnce } from "../table/transaction.ts";
import { replaceItem } from "../writes/write-plans.ts";
import { addCounts } from "./notification-counts.ts";
import {
  idOfUnread,
  type Notification,
  notificationKey,
  notifications,
  type StoredNotification,
  toNotification,
  unreadKeyOf,
  unreadMark,
} from "./notifications.ts";

/** Marked notifications, as they are after the call. */
interface MarkedNotifications extends Found<Notification> {
  readonly isRepetition?: true;
}

/** Most notifications in the answer if none were named (D27). */
const maxShown = 20;
/** The part of a function's time that is reserved for the last transaction, a second of conflicts, and the answer. */
export const lastTransactionMs = 6_500;
/** Most notifications of one transaction; the counts are one more write. */
const mostTogether = maxTransactionWrites - 1;
/** Only the first page of the index costs a round trip; further ones are read beside a transaction. */
const idsPerPage = 10 * mostTogether;

/**
 * Access pattern N5: marks the caller's notifications as read, or as unread, all or none, and updates the counts (D26,
 * D27). Returns them in the order of the ids. A repetition of a request with an Idempotency-Key marks nothing and
 * returns those that are left (D32). Refuses with `records_not_found` if one is missing or another user's, and as
 * `busy` if others change or hold them for a second. n read units, two round trips.
 */
export function markNotifications(
  ids: readonly number[],
  read: boolean,
  context: ChangeContext,
): Promise<MarkedNotifications> {
  const { userId } = context.caller;
  return retryConflicts(async (_, leftMs) => {
    const [earlier, stored] = await Promise.all([findEarlier(context), readPresent(userId, ids)]);
    // The notifications that were read beside the change may be older than it.
    if (earlier) return showRepeated(await readPresent(userId, ids));
    requireAll(ids, stored);
    const change = context.key ? [putChange(newChange("NOTIFICATIONS", [], context, await context.change))] : [];
    const marked = stored.map((item) => mark(userId, item, read ? context.now : null));
    const isWritten = await writeMarked(stored, marked, context, leftMs, change);
    return isWritten ? { items: marked.map(({ item }) => toNotification(item)), total: marked.length } : undefined;
  });
}

/**
 * Access pattern N6: marks all of the caller's unread notifications as read, newest first, in transactions of up to 99,
 * each with its counts. Returns the newest of them. If less than 6.5 seconds of `remainingMs` are left, no further
 * transaction begins: the rest stays unread, and the next call marks it. The index may be a moment behind, so a
 * notification from just before the call may stay unread too. For every 99: 99 read units, a tenth of an index page,
 * 200 write units and one round trip, because the next ones are read meanwhile; two round trips before the first. With
 * an Idempotency-Key, two round trips and four write units more: a repetition of an interrupted call marks the rest of
 * what there was by then, and a repetition of one that ended marks nothing (D32).
 */
export async function markAllRead(
  context: ChangeContext & { readonly remainingMs: () => number },
): Promise<MarkedNotifications> {
  if (!context.key) return markUnread(context);
  const change = newChange("NOTIFICATIONS", [], context, await context.change);
  const begun = await beginMarking(change, context);
  if (begun.done) return showDone(begun.user_id, begun.done);
  const marked = await markUnread(context, begun === change ? undefined : begun.at);
  const done = { total: marked.total, ids: marked.items.map(({ id }) => id) };
  const ended = await endMarking(begun, done);
  return ended ? showDone(begun.user_id, ended) : marked;
}

/** Marks all unread notifications, or those that there were at a moment, ISO 8601. */
async function markUnread(
  context: ChangeContext & { readonly remainingMs: () => number },
  at?: string,
): Promise<MarkedNotifications> {
  const { userId } = context.caller;
  const newest: StoredNotification[] = [];
  let total = 0;
  let isFirst = true;
  for await (const unread of readAhead(unreadInTurn(userId))) {
    if (!isFirst && context.remainingMs() < lastTransactionMs) break;
    isFirst = false;
    const marked = await retryConflicts(async (race, leftMs) => {
      const stored =
        race === 0
          ? unread
          : await readPresent(
              userId,
              unread.map(({ id }) => id),
            );
      const concerned = stored.filter(({ record }) => at === undefined || record.created_at <= at);
      const next = concerned.map((item) => mark(userId, item, context.now));
      return (await writeMarked(concerned, next, context, leftMs)) ? next : undefined;
    });
    const changed = marked.filter(({ isChanged }) => isChanged);
    newest.push(...changed.slice(0, maxShown - newest.length).map(({ item }) => item));
    total += changed.length;
  }
  return { items: newest.map(toNotification), total };
}

/** Stores the change of a call for all notifications. Returns it, or the one that an earlier call with the key stored. */
function beginMarking(change: StoredChange, context: ChangeContext): Promise<StoredChange> {
  return retry(paces.record, async () => ((await putIf(putChange(change).Put)) ? change : findEarlier(context)));
}

/** Stores the outcome of a call for all notifications. Returns the one that another call with the key has stored before. */
async function endMarking({ change_id }: StoredChange, done: MarkedAll): Promise<MarkedAll | undefined> {
  const { isWritten, item } = await tryUpdate(changeKey(change_id), {
    where: { change_id },
    when: lacks("done"),
    set: { done },
  });
  return isWritten ? undefined : item && changes.decode(item).done;
}

/** The answer of a call that ended, with its notifications as they are. */
async function showDone(userId: number, { total, ids }: MarkedAll): Promise<MarkedNotifications> {
  return { ...showRepeated(await readPresent(userId, ids)), total };
}

function showRepeated(present: readonly StoredNotification[]): MarkedNotifications {
  return { items: present.map(toNotification), total: present.length, isRepetition: true };
}

interface Marked {
  readonly item: StoredNotification;
  readonly isChanged: boolean;
}

/** Writes marked notifications if none has changed since it was read, and further writes with them. */
async function writeMarked(
  stored: readonly StoredNotification[],
  marked: readonly Marked[],
  context: ChangeContext,
  leftMs: number,
  others: readonly TransactionWrite[] = [],
): Promise<boolean> {
  const after = marked.flatMap(({ item, isChanged }) => (isChanged ? [item] : []));
  const before = stored.filter((_, at) => marked[at]?.isChanged);
  const change = await context.change;
  const writes = before.map((item, at) =>
    replaceItem(item, notifications.encode(after[at] ?? item), { now: new Date(), change, notifies: true }),
  );
  const all = [...writes, ...addCounts(context.caller.userId, before, after), ...others];
  return all.length === 0 || (await transactOnce(all, leftMs)).length === 0;
}

/** A notification after marking. One that is already marked so keeps its time of reading. */
function mark(userId: number, item: StoredNotification, readAt: Date | null): Marked {
  const { id, record } = item;
  if ((record.read_at === null) === (readAt === null)) return { item, isChanged: false };
  const read_at = readAt?.toISOString() ?? null;
  const next = { ...item, record: { ...record, read_at }, ...unreadKeyOf(userId, id, { read_at }) };
  return { item: next, isChanged: true };
}

/** The user's notifications with these ids, in their order; absent ones are left out. */
async function readPresent(userId: number, ids: readonly number[]): Promise<StoredNotification[]> {
  const items = await readBatch(ids.map((id) => notificationKey(userId, id)));
  return items.flatMap((item) => (item ? [notifications.decode(item)] : []));
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
