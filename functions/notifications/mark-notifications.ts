import { markNotifications as operation } from "../../shared/contract/notifications.ts";
import { inSession } from "../../shared/http/endpoint.ts";
import {
  addCounts,
  idOfUnread,
  type Notification,
  notificationKey,
  notifications,
  type StoredNotification,
  toNotification,
  unreadKeyOf,
  unreadMark,
} from "../../shared/notifications/notifications.ts";
import { withNotificationTexts } from "../../shared/notifications/words.ts";
import type { ChangeContext } from "../../shared/records/changes.ts";
import { requireAll } from "../../shared/records/items.ts";
import { begin, chunksOf, readAhead } from "../../shared/run/batches.ts";
import type { Found } from "../../shared/run/paging.ts";
import { replaceItem } from "../../shared/table/plans.ts";
import { readBatch } from "../../shared/table/reads.ts";
import { retryConflicts } from "../../shared/table/retry.ts";
import { queryPages } from "../../shared/table/table.ts";
import { maxTransactionWrites, transactOnce } from "../../shared/table/writes.ts";

/** A caller's request to mark notifications. */
type MarkingContext = Omit<ChangeContext, "key">;

/** Most notifications in the answer if none were named (D27). */
const maxShown = 20;
/** The part of a function's time that is reserved for the last transaction, a second of conflicts, and the answer. */
export const lastTransactionMs = 6_500;
/** Most notifications of one transaction; the counts are one more write. */
const mostTogether = maxTransactionWrites - 1;
/** Only the first page of the index costs a round trip; further ones are read beside a transaction. */
const idsPerPage = 10 * mostTogether;

/** Marks the caller's own notifications: the named ones, all or none; or the unread ones up to an id as read (D27). */
export const handler = inSession(operation, {
  read: async ({ body: { notification_ids: ids = [], up_to_id: newestId }, caller: { userId } }) =>
    newestId === undefined
      ? { named: await readPresent(userId, ids) }
      : { unread: await begin(readAhead(unreadInTurn(userId, newestId))) },
  write: async ({ body, actor: { user }, ...context }, { named, unread }) => {
    const { notification_ids: ids = [], up_to_id: newestId, read } = body;
    const marked = await (newestId === undefined
      ? markByIds(ids, read, context, named)
      : markReadUpTo(newestId, context, unread));
    return { ...marked, items: withNotificationTexts(marked.items, user.locale) };
  },
});

/**
 * Access pattern N5: marks the caller's notifications as read, or as unread, all or none, and updates the counts (D26,
 * D27). Returns them as they are then, in the order of the ids. Refuses with `records_not_found` if one is missing or another
 * user's, and as `busy` if others change or hold them for a second. n read units, two round trips.
 */
export async function markByIds(
  ids: readonly number[],
  read: boolean,
  context: MarkingContext,
  begun?: readonly StoredNotification[],
): Promise<Found<Notification>> {
  const readNamed = async (race: number) => {
    const stored = (race === 0 && begun) || (await readPresent(context.caller.userId, ids));
    requireAll(ids, stored);
    return stored;
  };
  const marked = await markTogether(readNamed, read ? context.now : null, context);
  return { items: marked.map(({ after }) => toNotification(after)), total: marked.length };
}

/**
 * Access pattern N6: marks the caller's unread notifications up to an id as read, newest first, in transactions of up to 99,
 * each with its counts. Returns the newest of them. If less than 6.5 seconds of `remainingMs` are left, no further
 * transaction begins: the rest stays unread, and the next call marks it. The index may be a moment behind, so a
 * notification from just before the call may stay unread too. For every 99: 99 read units, a tenth of an index page,
 * 200 write units and one round trip, because the next ones are read meanwhile; two round trips before the first.
 */
export async function markReadUpTo(
  newestId: number,
  context: MarkingContext & { readonly remainingMs: () => number },
  begun?: AsyncIterable<StoredNotification[]>,
): Promise<Found<Notification>> {
  const { userId } = context.caller;
  const newest: StoredNotification[] = [];
  let total = 0;
  let isFirst = true;
  for await (const unread of begun ?? readAhead(unreadInTurn(userId, newestId))) {
    if (!isFirst && context.remainingMs() < lastTransactionMs) break;
    isFirst = false;
    const ids = unread.map(({ id }) => id);
    const readAgain = async (race: number) => (race === 0 ? unread : readPresent(userId, ids));
    const changed = (await markTogether(readAgain, context.now, context)).filter(isChanged);
    newest.push(...changed.slice(0, maxShown - newest.length).map(({ after }) => after));
    total += changed.length;
  }
  return { items: newest.map(toNotification), total };
}

/** A notification before and after marking: the same item if it stood so already. */
interface Marked {
  readonly before: StoredNotification;
  readonly after: StoredNotification;
}

function isChanged({ before, after }: Marked): boolean {
  return before !== after;
}

/** Marks notifications in one transaction with their counts, and reads them again while others change them: `race` counts the times. */
function markTogether(
  read: (race: number) => Promise<readonly StoredNotification[]>,
  readAt: Date | null,
  context: MarkingContext,
): Promise<Marked[]> {
  const { userId } = context.caller;
  return retryConflicts(async (race, leftMs) => {
    const stored = await read(race);
    const marked = stored.map((before) => ({ before, after: mark(userId, before, readAt) }));
    const changed = marked.filter(isChanged);
    const { change } = context;
    const writes = changed.map(({ before, after }) =>
      replaceItem(before, notifications.encode(after), { now: new Date(), change, notifies: true }),
    );
    const sides = [changed.map(({ before }) => before), changed.map(({ after }) => after)] as const;
    const all = [...writes, ...addCounts(userId, ...sides)];
    return all.length === 0 || (await transactOnce(all, leftMs)).length === 0 ? marked : undefined;
  });
}

/** A notification after marking. One that is already marked so is the same item, with its time of reading. */
function mark(userId: number, item: StoredNotification, readAt: Date | null): StoredNotification {
  const { id, record } = item;
  if ((record.read_at === null) === (readAt === null)) return item;
  const read_at = readAt?.toISOString() ?? null;
  return { ...item, record: { ...record, read_at }, ...unreadKeyOf(userId, id, { read_at }) };
}

/** The user's notifications with these ids, in their order; absent ones are left out. */
async function readPresent(userId: number, ids: readonly number[]): Promise<StoredNotification[]> {
  const items = await readBatch(ids.map((id) => notificationKey(userId, id)));
  return items.flatMap((item) => (item ? [notifications.decode(item)] : []));
}

/** The unread notifications in the index up to an id, newest first, as many at a time as a transaction takes. */
async function* unreadInTurn(userId: number, newestId: number): AsyncGenerator<StoredNotification[]> {
  const { mark_key, mark_order } = unreadMark(userId, newestId);
  const pages = queryPages({
    IndexName: "by-mark",
    KeyConditionExpression: "mark_key = :unread AND mark_order <= :newest",
    ExpressionAttributeValues: { ":unread": mark_key, ":newest": mark_order },
    ScanIndexForward: false,
    Limit: idsPerPage,
  });
  for await (const page of pages) {
    for (const ids of chunksOf(page.map(idOfUnread), mostTogether)) yield readPresent(userId, ids);
  }
}
