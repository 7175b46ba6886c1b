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

/** One write of a transaction; the table is added here. */
export type TransactionWrite = { [K in keyof TransactWriteItem]: Plain<NonNullable<TransactWriteItem[K]>> };

/**
 * Writes all or nothing, at most 100 writes. A call whose answer is lost is repeated by the SDK under the same token, and
 * written once. Answers with the positions of the writes whose conditions failed: none
 * means that all was written. Refuses as `busy` when others' transactions kept it from being decided (D18). Of the tries
 * of one `token`, by whichever run of a request, the table carries out one (D32).
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
      // Under its own token a transaction that is still under way is met again, and not taken for another's.
      if (!(error instanceof TransactionInProgressException)) current = crypto.randomUUID();
      throw error;
    }
  });
}

/**
 * Reads up to 100 items as they are at one moment, in the order of the keys; absent ones are undefined. Two read units each.
 * Refuses as `busy` when others' transactions held them for a second.
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
    // The run before this one spent the token on other values: these are a transaction of their own.
    if (error instanceof IdempotentParameterMismatchException) return send(TransactItems, crypto.randomUUID());
    const failed = failedConditions(error);
    if (failed.length === 0) throw error;
    return failed;
  }
}

/** An item that was read may have the `write_id` of its last write: a transaction leaves none. */
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
