import { pushMessage } from "../../shared/messages/queue-messages.ts";
import {
  dropDeviceTokens,
  findDevices,
  isRegistered,
  keepEndpoint,
  type StoredDevice,
} from "../../shared/notifications/devices.ts";
import { notificationKey, notifications, type StoredNotification } from "../../shared/notifications/notifications.ts";
import { findAccount } from "../../shared/people/users.ts";
import { updateIf } from "../../shared/table/writes.ts";
import { forQueue } from "../../shared/worker.ts";
import { deleteEndpoint, type PushOutcome, pushToDevice, reportDropped, servesPushes } from "./push.ts";

/**
 * Pushes a notification to each of its user's devices, unless it is read or gone by now (D29). Skips devices registered
 * before the last end of all sessions (D14). A failing device delays no other, and is retried alone when the message
 * returns.
 */
export const handler = forQueue(pushMessage, async ({ userId, notificationId }) => {
  const [devices, account] = await Promise.all([findDevices(userId), findAccount(userId)]);
  if (!account) return;
  const reachable = devices.filter((device) => isRegistered(device, account) && servesPushes(device));
  if (reachable.length === 0) return;
  // Read last, so that one that is read meanwhile is not pushed.
  const notification = await findUnread(userId, notificationId);
  if (!notification) return;
  const waiting = reachable.filter(({ id }) => !notification.pushed_to?.includes(id));
  const attempts = await Promise.allSettled(waiting.map((device) => push(device, notification, account.user.locale)));
  const pushed = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
  const served = pushed.filter((each) => each.result === "sent");
  const dead = pushed.filter((each) => each.result === "dead");
  const comesAgain = pushed.length < attempts.length;
  await Promise.all([
    comesAgain && keepServed(notification, served),
    dropDead(userId, dead),
    // An endpoint that is kept saves the next push a call.
    ...served.map(({ device, endpointArn }) => keepEndpoint(userId, device, endpointArn)),
  ]);
  for (const attempt of attempts) if (attempt.status === "rejected") throw attempt.reason;
});

/** Access pattern PS1: a notification that its user has not read; undefined if it is read or gone. 1 read unit. */
async function findUnread(userId: number, notificationId: number): Promise<StoredNotification | undefined> {
  const stored = await notifications.find(notificationKey(userId, notificationId), { consistent: true });
  return stored?.record.read_at === null ? stored : undefined;
}

/**
 * Access pattern PS4: adds the devices that were served to a notification, so that its message skips them when it comes
 * again. Changes nothing if the notification was changed or removed meanwhile. 1 write unit a KB, none for no device.
 */
async function keepServed(notification: StoredNotification, served: readonly Pushed[]): Promise<void> {
  if (served.length === 0) return;
  const { revision, pushed_to = [] } = notification;
  const set = { pushed_to: [...pushed_to, ...served.map(({ device }) => device.id)] };
  await updateIf(notification, { where: { revision }, set });
}

type Pushed = PushOutcome & { readonly device: StoredDevice };

async function push(
  device: StoredDevice,
  { id: notificationId, record }: StoredNotification,
  locale: string | null | undefined,
): Promise<Pushed> {
  const { record_type, record_id, params } = record;
  const content = { notificationId, record_type, record_id, type: params.type, locale };
  return { device, ...(await pushToDevice(device, content)) };
}

/** Removes devices that take no more pushes from their user's list, then deletes their endpoints. */
async function dropDead(userId: number, dead: readonly Pushed[]): Promise<void> {
  const ids = dead.map(({ device }) => device.id);
  if (ids.length > 0) await dropDeviceTokens(userId, ids);
  for (const { device, endpointArn } of dead) reportDropped(device, endpointArn);
  await Promise.all(dead.map(({ endpointArn }) => endpointArn && deleteEndpoint(endpointArn)));
}
