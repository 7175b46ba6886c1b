import type { ListName, ListPlace } from "../../domain/records/list-place.ts";
import { versionClause, versionValue } from "../table/entity.ts";
import { nameOf } from "../table/keys.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { ifNarrowed, widenBounds } from "./day-bounds.ts";
import { boundIn, countIn, countsOfBounds, type TotalsByName, type TotalsFigures } from "./totals.ts";

/** Changes of totals items, folded: each item is written once, however many records moved. */
export interface TotalsChanges {
  /** Takes a record out of where it stood and into where it stands. */
  move(list: ListName, before: ListPlace | null, after: ListPlace | null): void;
  /** Number of items that would be written with the counts. */
  size(): number;
  /** Widens bounds, and gives the writes, on condition that nobody narrows them. */
  writes(isFresh: boolean): Promise<TransactionWrite[]>;
}

/** No changes yet. */
export function createTotalsChanges(): TotalsChanges {
  const [counts, bounds]: [TotalsByName, TotalsByName] = [new Map(), new Map()];
  return {
    move(list, before, after) {
      if (before) countIn(counts, list, before, -1);
      if (!after) return;
      countIn(counts, list, after, 1);
      const { companyId, state, date } = after;
      const isWithin = before?.companyId === companyId && before.state === state && before.date === date;
      if (!isWithin) boundIn(bounds, list, after);
    },
    size: () => counts.size,
    async writes(isFresh) {
      const narrowed = await widenBounds(bounds, isFresh);
      const months = new Map(
        [...bounds].map(([name, { key }]) => [nameOf(countsOfBounds(key)), narrowed.get(name)] as const),
      );
      return [...counts].flatMap(([name, figures]) => writeOf(figures, months.has(name), months.get(name)));
    },
  };
}

function writeOf({ key, figures }: TotalsFigures, isHeld: boolean, narrowed: number | undefined): TransactionWrite[] {
  const adds = [...figures].filter(([, amount]) => amount !== 0);
  const condition = isHeld ? ifNarrowed(narrowed) : undefined;
  if (adds.length === 0) return isHeld ? [{ ConditionCheck: { Key: { ...key }, ...ifNarrowed(narrowed) } }] : [];
  const clauses = ["revision :one", ...adds.map((_, at) => `#f${at} :f${at}`)];
  const values = Object.fromEntries(adds.map(([, amount], at) => [`:f${at}`, amount]));
  return [
    {
      Update: {
        Key: { ...key },
        UpdateExpression: `ADD ${clauses.join(", ")} SET ${versionClause}`,
        ...condition,
        ExpressionAttributeNames: Object.fromEntries(adds.map(([name], at) => [`#f${at}`, name])),
        ExpressionAttributeValues: { ...condition?.ExpressionAttributeValues, ...values, ":one": 1, ...versionValue },
      },
    },
  ];
}
