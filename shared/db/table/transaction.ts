import {
  type Get,
  IdempotentParameterMismatchException,
  type Put,
  TransactGetItemsCommand,
  TransactionCanceledException,
  TransactionInProgressException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { fromAttributes, inTable, type Plain } from "./attributes.ts";
import { retryConflicts } from "./retry.ts";
import { type Item, type Key, tableClient } from "./table.ts";

/** Most writes of a transaction. */
export const maxTransactionWrites = 100;

/** One write of a transaction. The table's name is added here. */
export type TransactionWrite = { [K in keyof TransactWriteItem]: Plain<NonNullable<TransactWriteItem[K]>> };

/**
 * Carries out up to 100 writes, or none of them. If an answer is lost, the SDK repeats the call under the same token,
 * and the writes happen once. Returns the positions of the writes whose conditions failed; none means that everything
 * was written. Refuses with `busy` if others' transactions held the items for a second (D18). The table carries out
 * only one of the tries with a `token`, whichever run of a request makes them (D32).
 */
export async function transact(
  writes: readonly TransactionWrite[],
  { token }: { readonly token?: string | undefined } = {},
): Promise<readonly number[]> {
  const items = writes.map(writeInTable);
  let current = token ?? crypto.randomUUID();
  return retryConflicts(async () => {
    try {
      return await send(items, current);
    } catch (error) {
      // A transaction that is still in progress is repeated under its own token, so that it does not conflict with
      // itself.
      if (!(error instanceof TransactionInProgressException)) current = crypto.randomUUID();
      throw error;
    }
  });
}

/**
 * Reads up to 100 items as of one moment, in the order of the keys; absent ones are undefined. Two read units each.
 * Refuses with `busy` if others' transactions held them for a second.
 */
export async function readTogether(keys: readonly Key[]): Promise<(Item | undefined)[]> {
  const TransactItems = keys.map((key) => ({ Get: inTable<Get>({ Key: key }) }));
  const { Responses = [] } = await retryConflicts(() =>
    tableClient().send(new TransactGetItemsCommand({ TransactItems })),
  );
  const items = Responses.map(({ Item: item }) => item && fromAttributes(item));
  return keys.map((_, position) => items[position]);
}

async function send(TransactItems: TransactWriteItem[], token: string): Promise<readonly number[]> {
  try {
    await tableClient().send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: token }));
    return [];
  } catch (error) {
    // An earlier run used the token for other values, so these writes are another transaction.
    if (error instanceof IdempotentParameterMismatchException) return send(TransactItems, crypto.randomUUID());
    const failed = failedConditions(error);
    if (failed.length === 0) throw error;
    return failed;
  }
}

/** Removes the `write_id` that an item may have from its last single write: a transaction sets none. */
function writeInTable(write: TransactionWrite): TransactWriteItem {
  if (write.Put) return { Put: inTable<Put>({ ...write.Put, Item: { ...write.Put.Item, write_id: undefined } }) };
  const [[kind, action] = []] = Object.entries(write);
  return { [kind ?? ""]: inTable<object>(action ?? {}) };
}

function failedConditions(error: unknown): number[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  const reasons = error.CancellationReasons ?? [];
  return reasons.flatMap(({ Code }, position) => (Code === "ConditionalCheckFailed" ? [position] : []));
}
