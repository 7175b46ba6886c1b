import { keyOf, nameOf } from "../../../shared/db/table/item-keys.ts";
import { maxTransactionWrites, type TransactionWrite, transact } from "../../../shared/db/table/transaction.ts";
import { type Commit, writeTogether } from "../../../shared/db/writes/write-plans.ts";
import { isPutOff } from "./patience.ts";

/** Concurrent transactions: 8 of 100 records, each some 100 ms on AWS, write more than 5,000 records a second. */
const transactionsAtOnce = 8;
/** A transaction may have 4 MB, and a letter of JSON takes up to three bytes. */
const maxLetters = 1_000_000;

/** The writes of one change that wait for a transaction. */
interface Waiting {
  readonly writes: readonly TransactionWrite[];
  readonly items: readonly string[];
  readonly letters: number;
  resolve(failed: readonly number[]): void;
  reject(error: unknown): void;
}

/**
 * Commits the writes of many changes together, in transactions of up to 100 writes. Each change is still written whole
 * or not at all, and only while its own conditions are true. Changes that share an item are written one after the
 * other.
 */
export function createWriteBatches(): Commit {
  const held = new Set<string>();
  let waiting: Waiting[] = [];
  let underWay = 0;
  let isPlanned = false;

  const plan = () => {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(begin);
  };
  const begin = () => {
    isPlanned = false;
    while (underWay < transactionsAtOnce) {
      const batch = takeBatch(waiting, held);
      if (batch.length === 0) return;
      waiting = waiting.filter((each) => !batch.includes(each));
      underWay += 1;
      void writeBatch(batch).finally(() => {
        for (const item of batch.flatMap(({ items }) => items)) held.delete(item);
        underWay -= 1;
        plan();
      });
    }
  };
  return (writes) =>
    new Promise((resolve, reject) => {
      const items = writes.map(itemOf);
      waiting.push({ writes, items, letters: JSON.stringify(writes).length, resolve, reject });
      plan();
    });
}

/**
 * Takes the first changes that fit into one transaction and share no item with those under way. Reserves their items.
 */
function takeBatch(waiting: readonly Waiting[], held: Set<string>): Waiting[] {
  const batch: Waiting[] = [];
  let [count, letters] = [0, 0];
  for (const each of waiting) {
    if (count >= maxTransactionWrites) break;
    const fits = count + each.writes.length <= maxTransactionWrites && letters + each.letters <= maxLetters;
    if (batch.length > 0 && !fits) continue;
    if (each.items.some((item) => held.has(item))) continue;
    for (const item of each.items) held.add(item);
    batch.push(each);
    count += each.writes.length;
    letters += each.letters;
  }
  return batch;
}

function itemOf({ Put, Update, Delete, ConditionCheck }: TransactionWrite): string {
  return nameOf(keyOf(Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {}));
}

/**
 * Writes as many changes as it can. A change whose conditions fail, or that the table cannot store, does not block the
 * others.
 */
async function writeBatch(batch: readonly Waiting[]): Promise<void> {
  let open = batch;
  while (open.length > 1) {
    try {
      open = settleFailed(open, await transact(open.flatMap(({ writes }) => writes)));
    } catch (error) {
      if (isOfSome(error)) break;
      for (const { reject } of open) reject(error);
      return;
    }
  }
  await Promise.all(open.map(({ writes, resolve, reject }) => writeTogether(writes).then(resolve, reject)));
}

/** Settles changes with their outcomes. Returns those that failed only because of others. */
function settleFailed(open: readonly Waiting[], failed: readonly number[]): Waiting[] {
  let start = 0;
  return open.filter(({ writes, resolve }) => {
    const own = failed.map((position) => position - start).filter((at) => at >= 0 && at < writes.length);
    start += writes.length;
    const isOpen = failed.length > 0 && own.length === 0;
    if (!isOpen) resolve(own);
    return isOpen;
  });
}

/** True for an error that only some changes of a transaction may have caused. */
function isOfSome(error: unknown): boolean {
  const names = ["ValidationException", "TransactionCanceledException"];
  return isPutOff(error) || (error instanceof Error && names.includes(error.name));
}
