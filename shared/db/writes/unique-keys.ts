import type { Item, Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";

/** A key that only one user may hold, and the field that asks for it. */
export interface UniqueKey {
  readonly key: Key;
  readonly userId: number;
  readonly field: string;
  /** What is stored beside the holder's id. */
  readonly attributes: Item;
}

/** Takes what is free, or held by the user already. */
export function takeUniqueKey({ key, userId, attributes }: UniqueKey): TransactionWrite {
  return { Put: { Item: { ...key, user_id: userId, ...attributes }, ...ifFreeOrHeldBy(userId) } };
}

/** Gives up what a user holds. */
export function releaseUniqueKey({ key, userId }: UniqueKey): TransactionWrite {
  return { Delete: { Key: { ...key }, ...ifFreeOrHeldBy(userId) } };
}

function ifFreeOrHeldBy(userId: number) {
  const ConditionExpression = "attribute_not_exists(pk) OR user_id = :user";
  return { ConditionExpression, ExpressionAttributeValues: { ":user": userId } };
}
