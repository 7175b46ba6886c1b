import { comparableToken, type PushService } from "../../contract/devices.ts";
import { paces, retry } from "../../table/retry.ts";
import { type TransactionWrite, transact } from "../../table/writes.ts";
import { hashToken } from "../../tokens/secrets.ts";
import { acquireDeviceToken, findDeviceOwner, releaseDeviceToken, type StoredDeviceOwner } from "./device-owners.ts";
import { type DeviceSet, deviceKey, devices, findDeviceSet, raiseRevision, type StoredDevice } from "./devices.ts";

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
 * Access pattern DT2: removes tokens from a user's list once `allowed` resolves, which it reads meanwhile; absent ones are
 * ignored (D28). Two round trips, 1 read unit, 2 write units and 4 for each.
 */
export function dropDeviceTokens(
  userId: number,
  ids: readonly number[],
  allowed: Promise<unknown> = Promise.resolve(),
): Promise<void> {
  return dropWhere(userId, ({ id }) => ids.includes(id), allowed);
}

/** Access pattern DT3: removes the tokens from a user's list that a session registered (D5). Cost as DT2. */
export function dropDevicesOfSession(userId: number, family: string): Promise<void> {
  return dropWhere(userId, (device) => device.family === family);
}

async function dropWhere(
  userId: number,
  isDropped: (device: StoredDevice) => boolean,
  allowed?: Promise<unknown>,
): Promise<void> {
  await retry(paces.devices, async () => {
    // Consistent, so that a token registered a moment ago is removed too.
    const [set] = await Promise.all([findDeviceSet(userId, { consistent: true }), allowed]);
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
