import { Refusal } from "../contract/refusals.ts";
import { type Count, counterKey, partFor } from "./counters.ts";
import { type Commit, commitTogether } from "./plans.ts";
import { keyOf, nameOf } from "./table.ts";
import { bytesInTable, maxTransactionWrites, mostTransactionBytes, type TransactionWrite } from "./writes.ts";

/** The writes of one change that wait for a transaction. */
interface Waiting {
  readonly writes: readonly TransactionWrite[];
  readonly counts: readonly Count[];
  /** The items that its writes are about, and the counters that its counts are added to, by name. */
  readonly items: readonly string[];
  readonly counters: readonly string[];
  /**
   * The partition of its counters, and the names of all of them. They are equal if two changes share the company, or
   * all counters.
   */
  readonly company: string;
  readonly sameCounters: string;
  readonly bytes: number;
  resolve(failed: readonly number[]): void;
  reject(error: unknown): void;
}

/**
 * Commits the writes of many changes together, in as few transactions of up to 100 writes as fit. Each change is still
 * written whole or not at all, and only while its own conditions are true. Changes that share an item are written one
 * after the other, in transactions of their own. The counts of a transaction are summed, and added to a part of the
 * counters that no other transaction under way has.
 */
export function createWriteBatches(parts: readonly number[]): Commit {
  const lockedItems = new Set<string>();
  const idleParts = [...parts.keys()];
  let waiting: Waiting[] = [];
  let isPlanned = false;

  const plan = () => {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(begin);
  };
  const begin = () => {
    isPlanned = false;
    while (idleParts.length > 0) {
      const { batch, isFull } = nextBatch(waiting, lockedItems);
      // What does not fill a transaction waits for those under way: more may come until then.
      if (batch.size === 0 || (!isFull && idleParts.length < parts.length)) return;
      for (const { items } of batch) for (const item of items) lockedItems.add(item);
      waiting = waiting.filter((each) => !batch.has(each));
      const assignedPart = idleParts.shift() ?? 0;
      void writeBatch([...batch], (conflicts) => partFor(parts, assignedPart, conflicts)).finally(() => {
        for (const { items } of batch) for (const item of items) lockedItems.delete(item);
        idleParts.unshift(assignedPart);
        plan();
      });
    }
  };
  return (writes, counts = []) =>
    new Promise((resolve, reject) => {
      const items = writes.map(itemOf);
      const counters = counts.map((count) => nameOf(counterKey(count, 0)));
      const company = counts[0] ? counterKey(counts[0], 0).pk : "";
      const bytes = bytesInTable(writes);
      const sameCounters = counters.join();
      waiting.push({ writes, counts, items, counters, company, sameCounters, bytes, resolve, reject });
      plan();
    });
}

/** The changes that fit into one transaction and share no item with each other or with those under way. */
function nextBatch(waiting: readonly Waiting[], lockedItems: ReadonlySet<string>) {
  const batch = new Set<Waiting>();
  const [items, counters] = [new Set(lockedItems), new Set<string>()];
  let [writes, bytes, isFull] = [0, 0, false];
  for (const each of oldestFirst(waiting)) {
    if (each.items.some((item) => items.has(item))) continue;
    const added = each.counters.filter((name) => !counters.has(name));
    const actions = writes + each.writes.length + counters.size + added.length;
    const fits = actions <= maxTransactionWrites && bytes + each.bytes <= mostTransactionBytes;
    isFull ||= !fits || actions === maxTransactionWrites;
    if (batch.size > 0 && !fits) continue;
    for (const item of each.items) items.add(item);
    for (const name of added) counters.add(name);
    batch.add(each);
    writes += each.writes.length;
    bytes += each.bytes;
  }
  return { batch, isFull };
}

/**
 * Moves changes of the same counters, then those of the same company, behind the first of them: a transaction writes a
 * counter once, for any number of changes. The oldest change comes first, so that none waits forever.
 */
function oldestFirst(waiting: readonly Waiting[]): Waiting[] {
  const byCompany = [...Map.groupBy(waiting, ({ company }) => company).values()];
  return byCompany.flatMap((same) => [...Map.groupBy(same, ({ sameCounters }) => sameCounters).values()].flat());
}

function itemOf({ Put, Update, Delete, ConditionCheck }: TransactionWrite): string {
  return nameOf(keyOf(Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {}));
}

/**
 * Writes as many changes as it can. One whose conditions fail is taken out. If others hold an item, or the table cannot
 * store one, each half is tried by itself, until that change is alone.
 */
async function writeBatch(batch: readonly Waiting[], partOf: (conflicts: number) => number): Promise<void> {
  let open = batch;
  while (open.length > 0) {
    try {
      const [writes, counts] = [open.flatMap((each) => each.writes), open.flatMap((each) => each.counts)];
      open = settleFailed(open, await commitTogether(writes, counts, partOf));
    } catch (error) {
      if (open.length > 1 && isOfSome(error)) {
        const middle = Math.ceil(open.length / 2);
        // Halves under way at once begin with a part by chance, or they would meet in their own.
        const halves = [open.slice(0, middle), open.slice(middle)];
        await Promise.all(halves.map((half) => writeBatch(half, (conflicts) => partOf(conflicts + 1))));
      } else {
        for (const { reject } of open) reject(error);
      }
      return;
    }
  }
}

/** Settles changes with their outcomes. Returns those that failed only because of others. */
function settleFailed(open: readonly Waiting[], failed: readonly number[]): Waiting[] {
  let start = 0;
  return open.filter(({ writes, resolve }) => {
    const failedPositions = failed.map((position) => position - start).filter((at) => at >= 0 && at < writes.length);
    start += writes.length;
    const isOpen = failed.length > 0 && failedPositions.length === 0;
    if (!isOpen) resolve(failedPositions);
    return isOpen;
  });
}

/** True for an error that only some changes of a transaction may have caused. */
function isOfSome(error: unknown): boolean {
  if (error instanceof Refusal) return error.code === "busy";
  const names = ["ValidationException", "TransactionCanceledException"];
  return error instanceof Error && names.includes(error.name);
}
