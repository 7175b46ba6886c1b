import type { ChainPlace } from "../../domain/records/notification-events.ts";
import { timeOrderedId } from "../../domain/time-ordered-id.ts";
import { paces, retry } from "../table/retry.ts";
import { queryItems } from "../table/table.ts";
import { transact } from "../table/transaction.ts";
import { noteRemoval } from "../writes/removals.ts";
import type { WriteContext } from "../writes/write-plans.ts";
import {
  checksOf,
  deliverNotification,
  inTurn,
  markDelivered,
  type NotificationPayload,
  wasUndone,
} from "./notification-delivery.ts";
import { deleteNotifications } from "./notification-writes.ts";
import { notificationKey, notifications, type StoredNotification } from "./notifications.ts";
import { requireUnpushed } from "./pushes.ts";

/** What is delivered of an undo. */
type UndoPayload = NotificationPayload & { readonly undo: ChainPlace };

/** What is left to say to a user: nothing, or something where this is not the step of the chain that was heard of last. */
type Heard = "settled" | { readonly step: number };

/** The clocks of two environments may differ by so much. */
const skewMs = 60_000;
/** Before a user has heard of any step. */
const beforeAny = -1;

/** True for the event of a change that undid another. */
export function isOfUndo(event: NotificationPayload): event is UndoPayload {
  return (event.undo?.step ?? 0) > 0;
}

/**
 * Access pattern N8: takes the notification of an undone change from users who have neither read it nor got a push of it, with their
 * counts, and notifies those of the undo who last heard something else of the record than what it is now (D41). Safe to repeat, and
 * side by side. For each user 1 read unit for 4 KB of the notifications since the chain began; 13 write units where one is taken,
 * 9 where the user is notified.
 */
export async function deliverUndo(
  userIds: readonly number[],
  event: UndoPayload,
  actorId: number | undefined,
  context: WriteContext,
): Promise<void> {
  const { step, undoneOf } = event.undo;
  for (const userId of userIds) {
    const heard = await inTurn(() => withdrawUnread(userId, event, context));
    if (heard === "settled" || userId === actorId) continue;
    const last = userId === undoneOf ? step - 1 : heard.step;
    // Each step turns the one before round.
    if ((step - last) % 2 !== 0) await deliverNotification([userId], event, context);
  }
}

/** Takes the notification of the undone change from a user, unless it was read or a push of it has begun. */
function withdrawUnread(userId: number, event: UndoPayload, { now, change }: WriteContext): Promise<Heard> {
  let checks = checksOf(event);
  return retry<Heard>(paces.record, async () => {
    const { step, item } = await findLastHeard(userId, event);
    if (!item || step !== event.undo.step - 1 || item.record.read_at !== null) return { step };
    const guards = [markDelivered(userId, event.eventId, now), requireUnpushed(userId, item.id), ...checks];
    const failed = await transact([...guards, ...deleteNotifications(userId, [item]), noteRemoval(item, change)]);
    if (failed.length === 0 || failed.includes(0)) return "settled";
    if (failed.includes(1)) return { step };
    if (checks.length > 0 && failed.includes(2)) {
      if (await wasUndone(event)) return "settled";
      checks = [];
    }
    return undefined;
  });
}

interface LastHeard {
  readonly step: number;
  readonly item?: StoredNotification;
}

async function findLastHeard(userId: number, { record_id, undo }: UndoPayload): Promise<LastHeard> {
  const from = timeOrderedId(new Date(Date.parse(undo.since) - skewMs));
  const rows = await queryItems({
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    FilterExpression: "#record.record_type = :type AND #record.record_id = :id",
    ExpressionAttributeNames: { "#record": "record" },
    ExpressionAttributeValues: {
      ":pk": notificationKey(userId, 0).pk,
      ":from": notificationKey(userId, from).sk,
      ":to": notificationKey(userId, Number.MAX_SAFE_INTEGER).sk,
      ":type": "Timesheet",
      ":id": record_id,
    },
    ConsistentRead: true,
  });
  const heard = rows.flatMap((row) => {
    const item = notifications.decode(row);
    const step = stepOf(item, undo);
    return step === undefined ? [] : [{ step, item }];
  });
  return heard.toSorted((one, other) => other.step - one.step)[0] ?? { step: beforeAny };
}

/** The step that a notification is about; undefined for one of another change. */
function stepOf({ about }: StoredNotification, { chain }: ChainPlace): number | undefined {
  return about?.chain === chain ? about.step : undefined;
}
