import type { Item, Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { updateOf } from "../table/updates.ts";

/** A key that only one user may hold, and the field that asks for it. */
export interface UniqueKey {
  readonly key: Key;
  readonly userId: number;
  readonly field: string;
  /** What is stored beside the holder's id where it is not stored already. */
  readonly attributes: Item;
}

/** Takes what is free; what the user holds already stays as it is. */
export function takeUniqueKey({ key, userId, attributes }: UniqueKey): TransactionWrite {
  const { ConditionExpression: when, ExpressionAttributeValues: values } = ifFreeOrHeldBy(userId);
  return { Update: updateOf(key, { when, values, set: { user_id: userId }, setOnce: attributes }) };
}

/** Gives up what a user holds. */
export function releaseUniqueKey({ key, userId }: UniqueKey): TransactionWrite {
  return { Delete: { Key: { ...key }, ...ifFreeOrHeldBy(userId) } };
}

function ifFreeOrHeldBy(userId: number) {
  const ConditionExpression = "attribute_not_exists(pk) OR user_id = :user";
  return { ConditionExpression, ExpressionAttributeValues: { ":user": userId } };
}
