import { comparableToken, type PushService } from "../contract/devices.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { paces, retry } from "../table/retry.ts";
import { type Item, type Key, padId, queryItems } from "../table/table.ts";
import {
  allOf,
  anyOf,
  ifAbsent,
  isAbsent,
  isThere,
  lacks,
  type TransactionWrite,
  transact,
  updateIf,
  updateOf,
} from "../table/writes.ts";
import { hashToken } from "../tokens/secrets.ts";

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
interface DeviceSet {
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
function raiseRevision(userId: number, revision: number): TransactionWrite {
  const isUnchanged = anyOf(lacks("revision"), "revision = :revision");
  const changes = { when: isUnchanged, values: { ":revision": revision }, set: { revision: revision + 1 } };
  return { Update: updateOf(deviceSetKey(userId), changes) };
}

function deviceSetKey(userId: number): Key {
  return { pk: `USER#${userId}`, sk: "DEVICES" };
}

/** The owner of a device token, as stored. The key contains the token's hash, which makes it unique. */
interface StoredDeviceOwner extends StoredItem {
  readonly user_id: number;
  /** The device's id in the user's list. */
  readonly id: number;
}

/** The entity of device owners. */
export const deviceOwners = defineEntity<StoredDeviceOwner>("device owner", ({ sk }) => sk === "DEVICE");

/** The owner of a device token, by its hash. Half a read unit, one if consistent. */
export function findDeviceOwner(
  hash: string,
  options: { readonly consistent: boolean },
): Promise<StoredDeviceOwner | undefined> {
  return deviceOwners.find(deviceOwnerKey(hash), options);
}

/** The write that makes a user's device the owner of a token, if its owner is unchanged since the read. */
function acquireDeviceToken(
  hash: string,
  device: { readonly user_id: number; readonly id: number },
  owner: StoredDeviceOwner | undefined,
): TransactionWrite {
  const before = owner?.user_id === device.user_id ? owner : undefined;
  const Item = deviceOwners.encode({ ...before, ...deviceOwnerKey(hash), ...device });
  if (!owner) return { Put: { Item, ...ifAbsent } };
  return { Put: { Item, ...ifOwnedBy(owner.user_id, owner.id) } };
}

/** The write that releases a token if this device of the user owns it. */
function releaseDeviceToken(hash: string, userId: number, id: number): TransactionWrite {
  return { Delete: { Key: deviceOwnerKey(hash), ...ifOwnedBy(userId, id) } };
}

/** The same for a token that may already have been released. */
export function ensureDeviceTokenReleased(hash: string, userId: number, id: number): TransactionWrite {
  const { ConditionExpression, ...values } = ifOwnedBy(userId, id);
  const isReleased = anyOf(isAbsent, ConditionExpression);
  return { Delete: { Key: deviceOwnerKey(hash), ConditionExpression: isReleased, ...values } };
}

const isOwnedBy = allOf("user_id = :user", "id = :id");

function ifOwnedBy(userId: number, id: number) {
  const ExpressionAttributeValues = { ":user": userId, ":id": id };
  return { ConditionExpression: isOwnedBy, ExpressionAttributeValues };
}

/** Key of the owner of a device token, by its hash. */
export function deviceOwnerKey(hash: string): Key {
  return { pk: `DEVICE#${hash}`, sk: "DEVICE" };
}

/** Most device tokens of a user; a new one replaces the oldest (D28). */
export const maxDevicesPerUser = 20;

/** The fields that identify a registration: if all are equal, nothing is written. */
const registered = ["platform", "device_id", "family", "epoch"] as const;

/** A device token to add to a user's list. */
export interface DeviceToken {
  /** As the client sent it. */
  readonly token: string;
  /** As the client sent it. */
  readonly platform: string;
  readonly pushService: PushService;
  readonly deviceId?: string | undefined;
  /** The session family and the user's epoch of the registration. The default epoch is 0. */
  readonly family?: string | undefined;
  readonly epoch?: number;
}

/**
 * Access pattern DT1: adds a token to a user's list and returns its id. The same token keeps its id; a token of another user
 * moves under a new id and leaves the other's list; a new token for a device replaces its old one; above 20 the oldest
 * is removed (D28). If a check fails, writes nothing and returns undefined. Two round trips, 2 read units and 6 write units for a new token of up to
 * 200 characters, and 2 for each check.
 */
export async function saveDeviceToken(
  userId: number,
  device: DeviceToken,
  newId: number,
  checks: readonly TransactionWrite[] = [],
): Promise<number | undefined> {
  const token = comparableToken(device.token, device.pushService);
  const hash = hashToken(token);
  const { id: saved } = await retry(paces.devices, async (race) => {
    const [owner, set] = await Promise.all([
      findDeviceOwner(hash, { consistent: race > 0 }),
      findDeviceSet(userId, { consistent: race > 0 }),
    ]);
    const id = owner?.user_id === userId ? owner.id : newId;
    const known = set.devices.find((candidate) => candidate.id === id);
    const next = { ...known, ...toStored(userId, id, hash, { ...device, token }) };
    if (known && registered.every((field) => known[field] === next[field])) return { id };
    const failed = await transact([
      ...checks,
      ...acquireWrites(userId, next, owner),
      ...dropWrites(userId, devicesToDrop(set, next)),
      raiseRevision(userId, set.revision),
    ]);
    if (failed.some((position) => position < checks.length)) return { id: undefined };
    return failed.length === 0 ? { id } : undefined;
  });
  return saved;
}

/**
 * Access pattern DT2: removes tokens from a user's list; absent ones are ignored (D28). `begun` is the list as it was
 * read already. Two round trips, 1 read unit, 2 write units and 4 for each.
 */
export function dropDeviceTokens(userId: number, ids: readonly number[], begun?: DeviceSet): Promise<void> {
  return dropWhere(userId, ({ id }) => ids.includes(id), begun);
}

/** Access pattern DT3: removes the tokens from a user's list that a session registered (D5). Cost as DT2. */
export function dropDevicesOfSession(userId: number, family: string): Promise<void> {
  return dropWhere(userId, (device) => device.family === family);
}

async function dropWhere(
  userId: number,
  isDropped: (device: StoredDevice) => boolean,
  begun?: DeviceSet,
): Promise<void> {
  await retry(paces.devices, async (race) => {
    // Consistent, so that a token registered a moment ago is removed too.
    const set = (race === 0 && begun) || (await findDeviceSet(userId, { consistent: true }));
    const found = set.devices.filter(isDropped);
    if (found.length === 0) return true;
    const failed = await transact([...dropWrites(userId, found), raiseRevision(userId, set.revision)]);
    return failed.length === 0 || undefined;
  });
}

function toStored(userId: number, id: number, hash: string, device: DeviceToken): StoredDevice {
  const { token, platform, pushService: push_service, deviceId: device_id, family, epoch = 0 } = device;
  const next = { id, token, hash, platform, push_service, device_id, family, epoch, endpoint_arn: undefined };
  return { ...deviceKey(userId, id), ...next };
}

/** Ids are ordered by time, so the first of the sorted list is the oldest. */
function devicesToDrop(set: DeviceSet, added: StoredDevice): StoredDevice[] {
  const others = set.devices.filter(({ id }) => id !== added.id);
  const replaced = others.filter(({ device_id }) => device_id !== undefined && device_id === added.device_id);
  const kept = others.filter((device) => !replaced.includes(device));
  return [...replaced, ...kept.slice(0, Math.max(0, kept.length - maxDevicesPerUser + 1))];
}

function acquireWrites(userId: number, device: StoredDevice, owner: StoredDeviceOwner | undefined): TransactionWrite[] {
  const writes: TransactionWrite[] = [
    acquireDeviceToken(device.hash, { user_id: userId, id: device.id }, owner),
    { Put: { Item: devices.encode(device) } },
  ];
  if (owner && owner.user_id !== userId) writes.push({ Delete: { Key: deviceKey(owner.user_id, owner.id) } });
  return writes;
}

function dropWrites(userId: number, dropped: readonly StoredDevice[]): TransactionWrite[] {
  return dropped.flatMap(({ id, hash }) => [
    { Delete: { Key: deviceKey(userId, id) } },
    releaseDeviceToken(hash, userId, id),
  ]);
}
