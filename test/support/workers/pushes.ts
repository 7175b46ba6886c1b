import { SNSClient } from "@aws-sdk/client-sns";
import { beforeAll, beforeEach } from "vitest";
import { findStage } from "../../../infra/stages/stages.ts";
import { findDevices, saveDeviceToken } from "../../../shared/notifications/devices.ts";
import { notificationLine, userLine } from "../records/records.ts";
import { store } from "../records/store.ts";
import { write } from "../records/writes.ts";
import { type Service, useService } from "../service/service.ts";

/** The stage's platform applications, by push service. */
export const applications = findStage("local").platformApplications ?? {};

let lastId = 1_000;
let lastUserId = 100;

/** A service that pushes through FCM and APNs, with an inbox that is empty when a test begins. */
export interface PushingService extends Service {
  /** A client of SNS that the service does not know of. */
  sns: SNSClient;
}

/** Gives a test file a service that pushes. */
export function usePushService(): PushingService {
  const service = useService() as PushingService;
  const { fcm, apns } = applications;
  beforeAll(() => {
    service.sns = new SNSClient({});
    process.env.PLATFORM_APPLICATIONS = JSON.stringify({ fcm, apns });
    return () => service.sns.destroy();
  });
  beforeEach(() => service.inbox.clear());
  return service;
}

/** The id of a user who has no device. */
export function newUserId(): number {
  lastUserId += 1;
  return lastUserId;
}

/** Registers a device of a user; gives its id. */
export async function register(
  userId: number,
  token: string,
  pushService: "fcm" | "apns" | "apns_sandbox" = "fcm",
): Promise<number> {
  lastId += 1;
  const id = lastId;
  await store([userLine(userId)]);
  return (await saveDeviceToken(userId, { token, platform: pushService, pushService }, id)) ?? id;
}

/** A new notification of a user, as the message that asks for its push. */
export async function newPush(userId: number, changes: Record<string, unknown> = {}) {
  lastId += 1;
  await write(notificationLine(lastId, userId, changes), { notifies: true });
  return { userId, notificationId: lastId };
}

/** The tokens that were pushed to, each as often as it was, in order. */
export function pushedTo({ inbox }: Service): string[] {
  return inbox
    .entries()
    .map(({ to }) => to)
    .sort();
}

/** The endpoint that is kept with a user's device. */
export async function endpointOf(userId: number, token: string): Promise<string | undefined> {
  return (await findDevices(userId)).find((device) => device.token === token)?.endpoint_arn;
}

/** The tokens of a user's devices, in order. */
export async function tokensOf(userId: number): Promise<string[]> {
  return (await findDevices(userId)).map(({ token }) => token).sort();
}
