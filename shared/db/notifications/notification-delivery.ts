import type { CompleteRecord } from "../../contract/records.ts";
import { timeOrderedId } from "../../domain/time-ordered-id.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { deliveredKey, notificationKey, unreadMark } from "../table/keys.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { replaceItem } from "../writes/changes.ts";
import { addCounts } from "./notification-writes.ts";

/** What users are told of an event, beside the moment. */
export interface NotificationPayload
  extends Pick<CompleteRecord<"notification">, "record_type" | "record_id" | "params"> {
  /** The same however often the event comes, and no other event's. */
  readonly eventId: string;
}

/** Each takes three writes: the event as delivered, the notification, the counts. */
const usersPerTransaction = 30;
const writesPerUser = 3;
/** Far longer than queues and streams may bring an event again. */
const rememberedDays = 30;

/**
 * Access pattern N7: tells users of an event, each once however often and side by side this is called (D25), with their
 * counts in the same transaction (D26). Cut short, it is finished by repeating it. 7 write units a user; 30 users in a
 * round trip. Refuses as `busy` when others keep changing the counts.
 */
export function deliverNotification(userIds: readonly number[], told: NotificationPayload, now: Date): Promise<void> {
  return inTurn(async () => {
    const waiting = [...new Set(userIds)];
    for (let at = 0; at < waiting.length; at += usersPerTransaction) {
      await deliverTogether(waiting.slice(at, at + usersPerTransaction), told, now);
    }
  });
}

/** Whoever was told already is left out, and gets a new id who has one like it already; then the others are tried again. */
async function deliverTogether(userIds: readonly number[], told: NotificationPayload, now: Date): Promise<void> {
  let open = userIds;
  while (open.length > 0) {
    const failed = await transact(open.flatMap((userId) => deliver(userId, told, now)));
    if (failed.length === 0) return;
    const delivered = new Set(failed.filter((position) => position % writesPerUser === 0));
    open = open.filter((_, at) => !delivered.has(at * writesPerUser));
  }
}

function deliver(userId: number, { eventId, ...told }: NotificationPayload, now: Date): TransactionWrite[] {
  const id = timeOrderedId(now);
  const record = { ...told, created_at: now.toISOString(), read_at: null };
  const item = { ...notificationKey(userId, id), id, user_id: userId, record, ...unreadMark(userId, id), push: true };
  const event = { ...deliveredKey(userId, eventId), expires_at: epochSecondsAfter(now, rememberedDays) };
  return [
    { Put: { Item: event, ConditionExpression: "attribute_not_exists(pk)" } },
    replaceItem(undefined, item, { now, notifies: true }),
    ...addCounts(userId, [], [item]),
  ];
}

let turn: Promise<unknown> = Promise.resolve();

/**
 * What comes at the same time is mostly for the same users, and their counts take part in one transaction at a time: one
 * after the other is faster than losing against each other.
 */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work);
  turn = mine.catch(() => {});
  return mine;
}
