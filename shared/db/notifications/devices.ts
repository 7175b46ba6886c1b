import type { PushService } from "../../contract/devices.ts";
import { defineEntity, type StoredItem, stampOnly, versionClause, versionValue } from "../table/entity.ts";
import { padId } from "../table/keys.ts";
import { type Key, queryPages, updateIf } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";

/** A device token in its user's list as the table has it. */
export interface StoredDevice extends StoredItem {
  readonly id: number;
  readonly token: string;
  /** SHA-256 of the token, base64url. */
  readonly hash: string;
  /** As the client sent it. */
  readonly platform: string;
  readonly push_service: PushService;
  readonly device_id?: string | undefined;
  /** The session family it was registered in; absent where the stage's users sign in elsewhere. */
  readonly family?: string | undefined;
  /** The user's epoch it was registered in: a user whose epoch has risen since has left it. Absent before release 0.2: 0. */
  readonly epoch?: number;
  /** Its endpoint at SNS, once it has one. */
  readonly endpoint_arn?: string | undefined;
}

/** The entity of devices. */
export const devices = defineEntity<StoredDevice>({
  name: "device",
  matches: ({ pk, sk }) => pk.startsWith("USER#") && sk.startsWith("DEVICE#"),
  upgrades: [stampOnly],
});

/** What lets one registration of a user through at a time, as the table has it. */
interface StoredDeviceSet extends StoredItem {
  readonly revision: number;
}

/** The entity of users' sets of devices. */
export const deviceSets = defineEntity<StoredDeviceSet>({
  name: "device set",
  matches: ({ pk, sk }) => pk.startsWith("USER#") && sk === "DEVICES",
  upgrades: [stampOnly],
});

/** A user's devices, and the revision that guards their number. */
export interface DeviceSet {
  readonly devices: readonly StoredDevice[];
  readonly revision: number;
}

/** Key of a device token in its user's list. */
export function deviceKey(userId: number, id: number): Key {
  return { pk: `USER#${userId}`, sk: `DEVICE#${padId(id)}` };
}

/** A device of a user as pushes reach it. */
export interface Device {
  readonly id: number;
  readonly token: string;
  readonly pushService: PushService;
  readonly endpointArn: string | undefined;
  /** The user's epoch it was registered in. */
  readonly epoch: number;
}

/** Access pattern PS2: a user's devices, at most 20, oldest first. 0.5 read units for 4 KB of tokens. */
export async function findDevices(userId: number): Promise<Device[]> {
  const set = await findDeviceSet(userId);
  return set.devices.map(({ id, token, push_service: pushService, endpoint_arn: endpointArn, epoch = 0 }) => ({
    id,
    token,
    pushService,
    endpointArn,
    epoch,
  }));
}

/** A user's devices, oldest first, and the revision of their set. 0.5 read units for 4 KB, one when consistent. */
export async function findDeviceSet(userId: number, { consistent = false } = {}): Promise<DeviceSet> {
  const found: StoredDevice[] = [];
  let revision = 0;
  const pages = queryPages({
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :device)",
    ExpressionAttributeValues: { ":pk": deviceSetKey(userId).pk, ":device": "DEVICE" },
    ConsistentRead: consistent,
  });
  for await (const page of pages) {
    for (const item of page) {
      if (item.sk === deviceSetKey(userId).sk) revision = deviceSets.decode(item).revision;
      else found.push(devices.decode(item));
    }
  }
  return { devices: found, revision };
}

/** Access pattern PS3: keeps a device's endpoint with it, unless the device is gone. 1 write unit. */
export async function keepEndpoint(userId: number, id: number, endpointArn: string): Promise<void> {
  await updateIf({
    Key: deviceKey(userId, id),
    ConditionExpression: "attribute_exists(pk)",
    UpdateExpression: `SET endpoint_arn = :endpoint, ${versionClause}`,
    ExpressionAttributeValues: { ":endpoint": endpointArn, ...versionValue },
  });
}

/** The write that changes a user's set: two registrations at once would each count the other out, and one gets through. */
export function raiseRevision(userId: number, revision: number): TransactionWrite {
  return {
    Update: {
      Key: deviceSetKey(userId),
      ConditionExpression: "attribute_not_exists(revision) OR revision = :revision",
      UpdateExpression: `SET revision = :next, ${versionClause}`,
      ExpressionAttributeValues: { ":revision": revision, ":next": revision + 1, ...versionValue },
    },
  };
}

function deviceSetKey(userId: number): Key {
  return { pk: `USER#${userId}`, sk: "DEVICES" };
}
