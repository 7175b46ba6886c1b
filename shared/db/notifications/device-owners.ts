import { defineEntity, type StoredItem } from "../../table/entity.ts";
import type { Key } from "../../table/table.ts";
import type { TransactionWrite } from "../../table/writes.ts";
import { allOf, anyOf, ifAbsent, isAbsent } from "../../table/writes.ts";

/** The owner of a device token, as stored. The key contains the token's hash, which makes it unique. */
export interface StoredDeviceOwner extends StoredItem {
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
export function acquireDeviceToken(
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
export function releaseDeviceToken(hash: string, userId: number, id: number): TransactionWrite {
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
