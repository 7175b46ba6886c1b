import { keyOf, nameOf } from "../table/item-keys.ts";
import { maxTransactionWrites, type TransactionWrite, transact } from "../table/transaction.ts";
import { isPutOff } from "../table/transient-errors.ts";
import { type Commit, commitTogether } from "./commit.ts";
import { type Count, counterKey, counterWrites, foldCounts, partFor } from "./counters.ts";

/** A transaction may have 4 MB, and a letter of JSON takes up to three bytes. */
const maxLetters = 1_000_000;

/** The writes of one change that wait for a transaction. */
interface Waiting {
  readonly writes: readonly TransactionWrite[];
  readonly counts: readonly Count[];
  readonly items: readonly string[];
  readonly letters: number;
  resolve(failed: readonly number[]): void;
  reject(error: unknown): void;
}

/**
 * Commits the writes of many changes together, in transactions of up to 100 writes. Each change is still written whole
 * or not at all, and only while its own conditions are true. Changes that share an item are written one after the
 * other. The counts of a transaction are summed. Each transaction under way has one of the parts for its own.
 */
export function createWriteBatches(parts: readonly number[]): Commit {
  const held = new Set<string>();
  const free = [...parts];
  let waiting: Waiting[] = [];
  let isPlanned = false;

  const plan = () => {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(begin);
  };
  const begin = () => {
    isPlanned = false;
    while (free.length > 0) {
      const batch = takeBatch(waiting, held);
      if (batch.length === 0) return;
      const part = free.shift() ?? 0;
      waiting = waiting.filter((each) => !batch.includes(each));
      void writeBatch(batch, (conflicts) => partFor(parts, parts.indexOf(part), conflicts)).finally(() => {
        for (const item of batch.flatMap(({ items }) => items)) held.delete(item);
        free.push(part);
        plan();
      });
    }
  };
  return (writes, counts = []) =>
    new Promise((resolve, reject) => {
      const items = writes.map(itemOf);
      waiting.push({ writes, counts, items, letters: JSON.stringify(writes).length, resolve, reject });
      plan();
    });
}

/**
 * Takes the first changes that fit into one transaction and share no item with those under way. Reserves their items.
 */
function takeBatch(waiting: readonly Waiting[], held: Set<string>): Waiting[] {
  const batch: Waiting[] = [];
  const counters = new Set<string>();
  let [writes, letters] = [0, 0];
  for (const each of waiting) {
    if (writes + counters.size >= maxTransactionWrites) break;
    if (each.items.some((item) => held.has(item))) continue;
    const names = each.counts.map((count) => nameOf(counterKey(count, 0)));
    const actions = writes + each.writes.length + new Set([...counters, ...names]).size;
    const fits = actions <= maxTransactionWrites && letters + each.letters <= maxLetters;
    if (batch.length > 0 && !fits) continue;
    for (const item of each.items) held.add(item);
    for (const name of names) counters.add(name);
    batch.push(each);
    writes += each.writes.length;
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
async function writeBatch(batch: readonly Waiting[], partOf: (conflicts: number) => number): Promise<void> {
  let open = batch;
  while (open.length > 1) {
    try {
      open = settleFailed(open, await writeAll(open, partOf));
    } catch (error) {
      if (isOfSome(error)) break;
      for (const { reject } of open) reject(error);
      return;
    }
  }
  await Promise.all(
    open.map(({ writes, counts, resolve, reject }) => commitTogether(writes, counts).then(resolve, reject)),
  );
}

function writeAll(open: readonly Waiting[], partOf: (conflicts: number) => number): Promise<readonly number[]> {
  const writes = open.flatMap((each) => each.writes);
  const counts = foldCounts(open.flatMap((each) => each.counts));
  return transact((conflicts) => [...writes, ...counterWrites(counts, partOf(conflicts))]);
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
