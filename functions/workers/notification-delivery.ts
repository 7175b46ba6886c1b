import type { CompleteRecord } from "../../shared/contract/records.ts";
import { isPushed } from "../../shared/notifications/kinds.ts";
import {
  addCounts,
  deliveredEvents,
  notificationKey,
  notifications,
  unreadMark,
} from "../../shared/notifications/notifications.ts";
import { listedItems, listedKey } from "../../shared/records/items.ts";
import { chunksOf } from "../../shared/run/batches.ts";
import { timeOrderedId } from "../../shared/run/time-ordered-id.ts";
import { firstRevision, replaceItem, type WriteContext } from "../../shared/table/plans.ts";
import { paces, retry, retryConflicts } from "../../shared/table/retry.ts";
import { epochSecondsAfter, type Key } from "../../shared/table/table.ts";
import { ifAbsent, type TransactionWrite, transactOnce } from "../../shared/table/writes.ts";

/** A record, and the state that a notification of it reports. */
interface Reported {
  readonly record_type: string;
  readonly record_id: number;
  /** Absent of records without states. */
  readonly state?: string | undefined;
}

/**
 * The check in a delivery's transaction that a timesheet still has the state that is reported; none for other records.
 * A timesheet has one driver, so deliveries do not conflict on it. 2 write units.
 */
function requireReported({ record_type, record_id, state }: Reported): TransactionWrite[] {
  if (record_type !== "Timesheet" || state === undefined) return [];
  const check = {
    Key: { ...listedKey("TIMESHEETS", record_id) },
    ConditionExpression: "#record.#state = :state",
    ExpressionAttributeNames: { "#record": "record", "#state": "state" },
    ExpressionAttributeValues: { ":state": state },
  };
  return [{ ConditionCheck: check }];
}

/**
 * True unless an invoice has another state by now than the one that is reported. An invoice has many recipients, whose
 * transactions would conflict on a check of it. 1 read unit.
 */
async function isReported({ record_type, record_id, state }: Reported): Promise<boolean> {
  if (record_type !== "Invoice" || state === undefined) return true;
  const invoice = await listedItems.INVOICES.find(listedKey("INVOICES", record_id), { consistent: true });
  return invoice?.record.state === state;
}

/** Key of an event of which a user was notified. */
export function deliveredKey(userId: number, eventId: string): Key {
  return { pk: `USER#${userId}`, sk: `EVENT#${eventId}` };
}

/** The contents of a notification, except its time. */
interface NotificationPayload extends Pick<CompleteRecord<"notification">, "record_type" | "record_id" | "params"> {
  /** Stays the same if the event is sent again. No other event has it. */
  readonly eventId: string;
  /**
   * The record's state that the notification reports, if the record has one. The notification is not delivered if the
   * state has changed (D25).
   */
  readonly state?: string | undefined;
}

/**
 * Each user takes three writes: the delivered event, the notification and the counts. One more write checks the state.
 */
export const usersPerTransaction = 30;
/** The delivered event, the notification and the counts. */
const writesPerUser = 3;
/** Far longer than queues and streams may repeat an event. */
export const deliveredEventDays = 30;

/**
 * Access pattern N7: notifies users of an event, each once even in repeated and parallel calls (D25), with their counts
 * in the same transaction (D26), while the record's state is the one that it reports. If interrupted, repeat it. 7 write
 * units a user and 2 for the check of a timesheet's state; for an invoice's 1 read unit; 30 users in a round trip.
 * Refuses as `busy` if others keep changing the counts.
 */
export function deliverNotification(
  userIds: readonly number[],
  event: NotificationPayload,
  context: WriteContext,
): Promise<void> {
  return inTurn(async () => {
    if (!(await isReported(event))) return;
    for (const users of chunksOf([...new Set(userIds)], usersPerTransaction))
      await deliverTogether(users, event, context);
  });
}

/** Repeats without the users that already have the event. Each try makes new ids: one may be taken, and readers mark up to one. */
function deliverTogether(userIds: readonly number[], event: NotificationPayload, context: WriteContext): Promise<true> {
  let open = userIds;
  const checks = requireReported(event);
  return retry(paces.record, async () => {
    if (open.length === 0) return true;
    const failed = await retryConflicts((_, leftMs) =>
      transactOnce([...open.flatMap((userId) => deliver(userId, event, context)), ...checks], leftMs),
    );
    if (failed.length === 0) return true;
    if (failed.includes(open.length * writesPerUser)) return true;
    const delivered = new Set(failed.filter((position) => position % writesPerUser === 0));
    open = open.filter((_, at) => !delivered.has(at * writesPerUser));
    return undefined;
  });
}

function deliver(
  userId: number,
  { eventId, state: _reported, ...rest }: NotificationPayload,
  context: WriteContext,
): TransactionWrite[] {
  const { now } = context;
  const id = timeOrderedId(new Date());
  const record = { ...rest, created_at: now.toISOString(), read_at: null };
  const place = { ...notificationKey(userId, id), id, user_id: userId, ...unreadMark(userId, id) };
  const push = isPushed(rest.record_type, rest.params.type) || undefined;
  const item = notifications.encode({ ...place, record, push, revision: firstRevision() });
  return [
    markDelivered(userId, eventId, now),
    replaceItem(undefined, item, { ...context, notifies: true }),
    ...addCounts(userId, [], [{ record }]),
  ];
}

/** The write that records an event as delivered to a user. It fails if the event is already recorded. */
function markDelivered(userId: number, eventId: string, now: Date): TransactionWrite {
  const expires_at = epochSecondsAfter(now, deliveredEventDays);
  const item = deliveredEvents.encode({ ...deliveredKey(userId, eventId), expires_at });
  return { Put: { Item: item, ...ifAbsent } };
}

let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs work one after the other in this process. Users share events, and only one transaction at a time can change
 * their counts: waiting is faster than losing races.
 */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work);
  turn = mine.catch(() => {});
  return mine;
}
