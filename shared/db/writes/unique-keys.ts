import { anyOf, isAbsent } from "../table/conditions.ts";
import type { Item, Key } from "../table/item-keys.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { updateOf } from "../table/updates.ts";

/** A key that only one user may have, and the field that asks for it. */
export interface UniqueKey {
  readonly key: Key;
  readonly userId: number;
  readonly field: string;
  /** Stored beside the owner's id if the key has no such attributes yet. */
  readonly attributes: Item;
}

/** Takes a free key. A key that the user owns stays as it is. */
export function takeUniqueKey({ key, userId, attributes }: UniqueKey): TransactionWrite {
  const { ConditionExpression: when, ExpressionAttributeValues: values } = ifFreeOrHeldBy(userId);
  return { Update: updateOf(key, { when, values, set: { user_id: userId }, setOnce: attributes }) };
}

/** Deletes a key that a user owns. */
export function releaseUniqueKey({ key, userId }: UniqueKey): TransactionWrite {
  return { Delete: { Key: { ...key }, ...ifFreeOrHeldBy(userId) } };
}

function ifFreeOrHeldBy(userId: number) {
  const ConditionExpression = anyOf(isAbsent, "user_id = :user");
  return { ConditionExpression, ExpressionAttributeValues: { ":user": userId } };
}
