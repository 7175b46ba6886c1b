import { pushMessage } from "../../shared/messages/queue-messages.ts";
import {
  dropDeviceTokens,
  findDevices,
  isRegistered,
  keepEndpoint,
  type StoredDevice,
} from "../../shared/notifications/devices.ts";
import { findUnread, type Notification } from "../../shared/notifications/notifications.ts";
import { acquireSendLease, releaseSendLease } from "../../shared/notifications/sendings.ts";
import { findAccount } from "../../shared/people/users.ts";
import { padId } from "../../shared/table/table.ts";
import { forQueue } from "../../shared/worker.ts";
import { deleteEndpoint, type PushOutcome, pushToDevice, reportDropped, servesPushes } from "./push.ts";

/**
 * Pushes a notification to each of its user's devices, unless it is read or gone by now (D29). Skips devices registered
 * before the last end of all sessions (D14). A failing device delays no other, and is retried when the message returns;
 * served devices are skipped then.
 */
export const handler = forQueue(pushMessage, async ({ userId, notificationId }, { now }) => {
  const [devices, account] = await Promise.all([findDevices(userId), findAccount(userId)]);
  if (!account) return;
  const reachable = devices.filter((device) => isRegistered(device, account) && servesPushes(device));
  if (reachable.length === 0) return;
  const lease = await acquireSendLease(userId, { kind: "PUSH", name: padId(notificationId) }, now);
  // Read last, so that one that is read meanwhile is not pushed.
  const notification = await findUnread(userId, notificationId);
  const waiting = reachable.filter(({ id }) => !lease.served.includes(`${id}`));
  const attempts = notification
    ? await Promise.allSettled(waiting.map((device) => push(device, notification, account.user.locale)))
    : [];
  const pushed = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
  const served = pushed.filter((each) => each.result === "sent");
  await releaseSendLease(lease, [...lease.served, ...served.map(({ device }) => `${device.id}`)]);
  const dead = pushed.filter((each) => each.result === "dead");
  // An endpoint that is kept saves the next push a call.
  const keeping = served.map(({ device, endpointArn }) => keepEndpoint(userId, device, endpointArn));
  await Promise.all([dropDead(userId, dead), ...keeping]);
  for (const attempt of attempts) if (attempt.status === "rejected") throw attempt.reason;
});

type Pushed = PushOutcome & { readonly device: StoredDevice };

async function push(
  device: StoredDevice,
  { id, params, ...about }: Notification,
  locale: string | null | undefined,
): Promise<Pushed> {
  return { device, ...(await pushToDevice(device, { ...about, notificationId: id, type: params.type, locale })) };
}

/** Removes devices that take no more pushes from their user's list, then deletes their endpoints. */
async function dropDead(userId: number, dead: readonly Pushed[]): Promise<void> {
  const ids = dead.map(({ device }) => device.id);
  if (ids.length > 0) await dropDeviceTokens(userId, ids);
  for (const { device, endpointArn } of dead) reportDropped(device, endpointArn);
  await Promise.all(dead.map(({ endpointArn }) => endpointArn && deleteEndpoint(endpointArn)));
}
