import {
  IdempotentParameterMismatchException,
  TransactionCanceledException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { TransactGetCommand, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { settings } from "../../settings.ts";
import { retryConflicts } from "./retry.ts";
import { documentClient, type Item, type Key } from "./table.ts";

type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];
type WithoutTable<T> = { [K in keyof T]: T[K] extends infer V | undefined ? Omit<V, "TableName"> : never };

/** Most writes of a transaction. */
export const maxTransactionWrites = 100;

/** One write of a transaction; the table is added here. */
export type TransactionWrite = WithoutTable<Write>;

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
  const items = writes.map(inTable);
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
  const TransactItems = keys.map((key) => ({ Get: { TableName: settings.tableName(), Key: { ...key } } }));
  const { Responses = [] } = await retryConflicts(() =>
    documentClient().send(new TransactGetCommand({ TransactItems })),
  );
  return keys.map((_, position) => Responses[position]?.Item);
}

async function send(TransactItems: Write[], token: string): Promise<readonly number[]> {
  try {
    await documentClient().send(new TransactWriteCommand({ TransactItems, ClientRequestToken: token }));
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
function inTable(write: TransactionWrite): Write {
  const TableName = settings.tableName();
  if (write.Put) return { Put: { TableName, ...write.Put, Item: { ...write.Put.Item, write_id: undefined } } };
  const [[kind, action] = []] = Object.entries(write);
  return { [kind ?? ""]: { TableName, ...(action as object) } } as Write;
}

function failedConditions(error: unknown): number[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  const reasons = error.CancellationReasons ?? [];
  return reasons.flatMap(({ Code }, position) => (Code === "ConditionalCheckFailed" ? [position] : []));
}
