import { invoiceStates, timesheetStates } from "../../../shared/contract/finance.ts";
import { figuresOf } from "../../../shared/records/totals.ts";
import { chunksOf } from "../../../shared/run/batches.ts";
import {
  type Count,
  counterKey,
  counterPartition,
  counters,
  counterWrites,
  foldCounts,
  importParts,
  jobListState,
  type ListName,
  monthOf,
  type StoredCounter,
  userParts,
} from "../../../shared/table/counters.ts";
import { queryItems } from "../../../shared/table/table.ts";
import { lacks, maxTransactionWrites, type TransactionWrite, transact } from "../../../shared/table/writes.ts";

/** The names of the lists. */
export const listNames: readonly ListName[] = ["INVOICES", "TIMESHEETS", "JOBS"];

/** The states of the records of a list. */
export const listStates = {
  INVOICES: invoiceStates,
  TIMESHEETS: timesheetStates,
  JOBS: [jobListState],
} as const satisfies Record<ListName, readonly string[]>;

/** A company's list. */
export type CompanyList = Pick<Count, "list" | "companyId">;

/** The parts of a list's counters, by month. */
export type CounterParts = ReadonlyMap<string, readonly StoredCounter[]>;

const [, ...otherParts] = [...userParts, ...importParts];
const countersAtOnce = Math.floor(maxTransactionWrites / (otherParts.length + 1));

/** Reads the counters of a company's list as they are. A read unit for 4 KB. */
export async function readCounters({ list, companyId }: CompanyList): Promise<CounterParts> {
  const ExpressionAttributeValues = { ":pk": counterPartition(list, companyId) };
  const query = { KeyConditionExpression: "pk = :pk", ConsistentRead: true, ExpressionAttributeValues };
  const parts = (await queryItems(query)).map(counters.decode);
  return Map.groupBy(parts, monthOf);
}

/** The sums of the parts of each counter. */
export function sumsOf(of: CompanyList, parts: CounterParts): Count[] {
  return foldCounts(
    [...parts].flatMap(([month, each]) => each.map((part) => ({ ...of, month, figures: figuresOf(part) }))),
  );
}

/**
 * Adds folded counts to counters of a list, if nobody has written a part of these since it was read. Up to twelve
 * counters are one transaction. False if somebody has; the counters of earlier transactions are written then.
 */
export async function addIfAsRead(counts: readonly Count[], read: CounterParts): Promise<boolean> {
  const writesOf = (count: Count, part: number) => {
    const { sk } = counterKey(count, part);
    return read.get(count.month)?.find((each) => each.sk === sk)?.writes;
  };
  const check = (count: Count, part: number): TransactionWrite => {
    const writes = writesOf(count, part);
    const isAsRead =
      writes === undefined
        ? { ConditionExpression: lacks("writes") }
        : { ConditionExpression: "writes = :writes", ExpressionAttributeValues: { ":writes": writes } };
    return { ConditionCheck: { Key: counterKey(count, part), ...isAsRead } };
  };
  for (const chunk of chunksOf(counts, countersAtOnce)) {
    const adds = counterWrites(chunk, 0, (count) => ({ writes: writesOf(count, 0) }));
    const checks = chunk.flatMap((count) => otherParts.map((part) => check(count, part)));
    const failed = await transact([...adds, ...checks]);
    if (failed.length > 0) return false;
  }
  return true;
}
