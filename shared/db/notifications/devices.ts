import type { PushService } from "../../contract/devices.ts";
import { defineEntity, type StoredItem } from "../../table/entity.ts";
import type { Item, Key } from "../../table/table.ts";
import { padId, queryItems } from "../../table/table.ts";
import type { TransactionWrite } from "../../table/writes.ts";
import { anyOf, isThere, lacks, updateIf, updateOf } from "../../table/writes.ts";

/** A device token in its user's list, as stored. */
export interface StoredDevice extends StoredItem {
  readonly id: number;
  /** In its comparable form (D28). */
  readonly token: string;
  /** SHA-256 of the token, base64url. */
  readonly hash: string;
  /** As the client sent it. */
  readonly platform: string;
  readonly push_service: PushService;
  readonly device_id?: string | undefined;
  /** The session family that registered it; absent if users sign in with an external issuer. */
  readonly family?: string | undefined;
  /** The user's epoch at registration. If the user's epoch has risen since, the device gets no pushes (D14). */
  readonly epoch: number;
  /** Its endpoint at SNS, once it has one. */
  readonly endpoint_arn?: string | undefined;
}

/** The entity of devices. */
export const devices = defineEntity<StoredDevice>("device", ({ sk }) => sk.startsWith("DEVICE#"));

/** The entity of users' sets of devices, which serialise a user's registrations. */
export const deviceSets = defineEntity<StoredItem & { readonly revision: number }>(
  "device set",
  ({ sk }) => sk === "DEVICES",
);

/** A user's devices, and the revision of their set. */
export interface DeviceSet {
  readonly devices: readonly StoredDevice[];
  readonly revision: number;
}

/** Key of a device token in its user's list. */
export function deviceKey(userId: number, id: number): Key {
  return { pk: `USER#${userId}`, sk: `DEVICE#${padId(id)}` };
}

/** Access pattern PS6: one of a user's devices. One read unit. */
export function findDevice(userId: number, id: number): Promise<StoredDevice | undefined> {
  return devices.find(deviceKey(userId, id), { consistent: true });
}

/** Access pattern PS2: a user's devices, at most 20, oldest first. 0.5 read units for 4 KB of tokens. */
export async function findDevices(userId: number): Promise<readonly StoredDevice[]> {
  return (await findDeviceSet(userId)).devices;
}

/** A user's devices, oldest first, and the revision of their set. 0.5 read units for 4 KB, one if consistent. */
export async function findDeviceSet(userId: number, { consistent = false } = {}): Promise<DeviceSet> {
  const items = await queryItems({
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :device)",
    ExpressionAttributeValues: { ":pk": deviceSetKey(userId).pk, ":device": "DEVICE" },
    ConsistentRead: consistent,
  });
  const isSet = ({ sk }: Item) => sk === deviceSetKey(userId).sk;
  const set = items.find(isSet);
  const found = items.filter((item) => !isSet(item)).map(devices.decode);
  return { devices: found, revision: set ? deviceSets.decode(set).revision : 0 };
}

/**
 * True if a device gets pushes: it was registered after the last end of all sessions of its user, which raised the user's epoch (D14).
 */
export function isRegistered(device: StoredDevice, user: { readonly epoch: number }): boolean {
  return device.epoch === user.epoch;
}

/** Access pattern PS3: stores the endpoint of a device that accepted a push, unless the device is gone. 1 write unit, none if it has it. */
export async function keepEndpoint(userId: number, device: StoredDevice, endpointArn: string): Promise<void> {
  if (device.endpoint_arn === endpointArn) return;
  await updateIf(deviceKey(userId, device.id), { when: isThere, set: { endpoint_arn: endpointArn } });
}

/**
 * The write that changes the revision of a user's set. Of two concurrent registrations, each of which overlooks the
 * other, only one succeeds.
 */
export function raiseRevision(userId: number, revision: number): TransactionWrite {
  const isUnchanged = anyOf(lacks("revision"), "revision = :revision");
  const changes = { when: isUnchanged, values: { ":revision": revision }, set: { revision: revision + 1 } };
  return { Update: updateOf(deviceSetKey(userId), changes) };
}

function deviceSetKey(userId: number): Key {
  return { pk: `USER#${userId}`, sk: "DEVICES" };
}
