import { createHash } from "node:crypto";
import type { PushService } from "../../contract/devices.ts";
import { busy } from "../table/conflicts.ts";
import { deviceKey, deviceSetKey, deviceTokenKey } from "../table/keys.ts";
import { getItem, type Item, queryPage } from "../table/table.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";

/** Most device tokens a user has; the oldest is dropped for a new one (D28). */
const maxDevicesPerUser = 20;

/** A device token on its way into a user's list. */
export interface DeviceToken {
  readonly token: string;
  /** As the client sent it. */
  readonly platform: string;
  readonly pushService: PushService;
  readonly deviceId?: string | undefined;
}

interface Device extends DeviceToken {
  readonly id: number;
  readonly hash: string;
}

interface DeviceSet {
  readonly devices: readonly Device[];
  readonly revision: number;
}

const maxAttempts = 5;

/**
 * Access pattern DT1: adds a token to a user's list and gives its id. The same token keeps its id; a token moves to its
 * latest user; a new token for a device replaces its old one; above 20 the oldest goes (D28). Two round trips, 2 read
 * units and 6 write units for a new token of up to 200 characters.
 */
export async function saveDeviceToken(userId: number, device: DeviceToken, newId: number): Promise<number> {
  const hash = createHash("sha256").update(device.token).digest("base64url");
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const [owner, set] = await Promise.all([
      getItem(deviceTokenKey(hash), { consistent: attempt > 0 }),
      findDeviceSet(userId, attempt > 0),
    ]);
    const id = owner?.user_id === userId ? (owner.id as number) : newId;
    const known = set.devices.find((candidate) => candidate.id === id);
    if (known && isSame(known, device)) return id;
    const failed = await transact([
      ...claim(userId, { ...device, id, hash }, owner),
      ...drop(userId, devicesToDrop(set, { ...device, id })),
      countUp(userId, set.revision),
    ]);
    if (failed.length === 0) return id;
  }
  throw busy();
}

/**
 * Access pattern DT2: takes tokens out of a user's list; those that are not there are fine (D28). Two round trips, 1 read
 * unit, 2 write units and 4 for each.
 */
export async function dropDeviceTokens(userId: number, ids: readonly number[]): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const { devices, revision } = await findDeviceSet(userId, attempt > 0);
    const found = devices.filter(({ id }) => ids.includes(id));
    if (found.length === 0) return;
    const failed = await transact([...drop(userId, found), countUp(userId, revision)]);
    if (failed.length === 0) return;
  }
  throw busy();
}

async function findDeviceSet(userId: number, consistent: boolean): Promise<DeviceSet> {
  const { items } = await queryPage({
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :device)",
    ExpressionAttributeValues: { ":pk": deviceSetKey(userId).pk, ":device": "DEVICE" },
    ConsistentRead: consistent,
  });
  const revision = items.find((item) => item.sk === deviceSetKey(userId).sk)?.revision ?? 0;
  return { devices: items.filter((item) => "token" in item).map(toDevice), revision: Number(revision) };
}

function isSame(known: Device, device: DeviceToken): boolean {
  return known.platform === device.platform && known.deviceId === device.deviceId;
}

/** Ids run by time, so the first of the sorted list is the oldest. */
function devicesToDrop({ devices }: DeviceSet, added: DeviceToken & { id: number }): Device[] {
  const others = devices.filter(({ id }) => id !== added.id);
  const replaced = others.filter(({ deviceId }) => deviceId !== undefined && deviceId === added.deviceId);
  const kept = others.filter((device) => !replaced.includes(device));
  return [...replaced, ...kept.slice(0, Math.max(0, kept.length - maxDevicesPerUser + 1))];
}

function claim(userId: number, device: Device, owner: Item | undefined): TransactionWrite[] {
  const { id, hash, token, platform, pushService, deviceId } = device;
  const fields = { id, token, hash, platform, push_service: pushService, device_id: deviceId };
  const writes: TransactionWrite[] = [
    {
      Put: {
        Item: { ...deviceTokenKey(hash), user_id: userId, id },
        ConditionExpression: owner ? "user_id = :owner AND id = :id" : "attribute_not_exists(pk)",
        ...(owner && { ExpressionAttributeValues: { ":owner": owner.user_id, ":id": owner.id } }),
      },
    },
    { Put: { Item: { ...deviceKey(userId, id), ...fields } } },
  ];
  if (owner && owner.user_id !== userId) {
    writes.push({ Delete: { Key: deviceKey(owner.user_id as number, owner.id as number) } });
  }
  return writes;
}

function drop(userId: number, devices: readonly Device[]): TransactionWrite[] {
  return devices.flatMap(({ id, hash }) => [
    { Delete: { Key: deviceKey(userId, id) } },
    {
      Delete: {
        Key: deviceTokenKey(hash),
        ConditionExpression: "user_id = :user AND id = :id",
        ExpressionAttributeValues: { ":user": userId, ":id": id },
      },
    },
  ]);
}

/** Two registrations at once would each count the other out: the set's revision lets only one through. */
function countUp(userId: number, revision: number): TransactionWrite {
  return {
    Update: {
      Key: deviceSetKey(userId),
      ConditionExpression: "attribute_not_exists(revision) OR revision = :revision",
      UpdateExpression: "SET revision = :next",
      ExpressionAttributeValues: { ":revision": revision, ":next": revision + 1 },
    },
  };
}

function toDevice(item: Item): Device {
  return {
    id: item.id as number,
    hash: item.hash as string,
    token: item.token as string,
    platform: item.platform as string,
    pushService: item.push_service as PushService,
    deviceId: item.device_id as string | undefined,
  };
}
