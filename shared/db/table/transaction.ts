import { TransactionCanceledException, TransactionInProgressException } from "@aws-sdk/client-dynamodb";
import { TransactGetCommand, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Item, Key } from "./item-keys.ts";
import { paces, retry, retryConflicts } from "./retry.ts";
import { inTable, type Plain, tableClient } from "./table.ts";
import { liveItem } from "./tombstones.ts";

/** Most writes of a transaction. */
export const maxTransactionWrites = 100;

type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** One write of a transaction. The table's name is added here. */
export type TransactionWrite = { [K in keyof Write]: Plain<NonNullable<Write[K]>> };

/**
 * Carries out up to 100 writes, or none of them. Returns the positions of the writes whose conditions failed; none means
 * that everything was written. Refuses with `busy` if others' transactions hold the items for longer than a second (D18).
 */
export function transact(writes: readonly TransactionWrite[]): Promise<readonly number[]> {
  return retryConflicts((_, leftMs) => transactOnce(writes, leftMs));
}

/**
 * As `transact`, but throws if others' transactions hold the items. Nothing was written then, and the next attempt may
 * have other writes. If an answer is lost, the SDK repeats the call under the same token, and the writes happen once.
 * While the first call is in progress, the same call is repeated, because one with another token would conflict with it.
 */
export function transactOnce(writes: readonly TransactionWrite[], withinMs: number): Promise<readonly number[]> {
  const call = transactionOf(writes);
  return retry({ ...paces.conflict, withinMs }, () =>
    send(call).catch((error: unknown) => {
      if (!(error instanceof TransactionInProgressException)) throw error;
      return undefined;
    }),
  );
}

function transactionOf(writes: readonly TransactionWrite[]): TransactWriteCommand {
  const TransactItems = writes.map(writeInTable);
  return new TransactWriteCommand({ TransactItems, ClientRequestToken: crypto.randomUUID() });
}

/**
 * Reads up to 100 items as of one moment, in the order of the keys; absent ones are undefined. Two read units each.
 * Refuses with `busy` if others' transactions held them for a second.
 */
export async function readTogether(keys: readonly Key[]): Promise<(Item | undefined)[]> {
  const TransactItems = keys.map((key) => ({ Get: inTable({ Key: key }) }));
  const { Responses = [] } = await retryConflicts(() => tableClient().send(new TransactGetCommand({ TransactItems })));
  return Responses.map(({ Item: item }) => liveItem(item));
}

async function send(call: TransactWriteCommand): Promise<readonly number[]> {
  try {
    await tableClient().send(call);
    return [];
  } catch (error) {
    const failed = failedConditions(error);
    if (failed.length === 0) throw error;
    return failed;
  }
}

/** Removes the `write_id` that an item may have from its last single write: a transaction sets none. */
function writeInTable(write: TransactionWrite): Write {
  if (write.Put) return { Put: inTable({ ...write.Put, Item: { ...write.Put.Item, write_id: undefined } }) };
  const [[kind, action] = []] = Object.entries(write);
  return { [kind ?? ""]: inTable(action ?? {}) };
}

function failedConditions(error: unknown): number[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  const reasons = error.CancellationReasons ?? [];
  return reasons.flatMap(({ Code }, position) => (Code === "ConditionalCheckFailed" ? [position] : []));
}
