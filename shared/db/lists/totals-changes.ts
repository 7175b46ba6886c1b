import type { ListName, ListPosition } from "../../domain/records/list-position.ts";
import { versionClause, versionValue } from "../table/entity.ts";
import { nameOf } from "../table/item-keys.ts";
import type { Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { ifNarrowed, widenBounds } from "./day-bounds.ts";
import { dayFigure, isBound, joined, partKey, totalsKey } from "./stored-totals.ts";

/** Figures under a key: what totals have, or what is added to them. */
export interface TotalsFigures {
  readonly key: Key;
  readonly figures: Map<string, number>;
}

/** Totals, a month's counts and bounds together, by the names of their keys. */
export type TotalsByName = Map<string, TotalsFigures>;

/** What one record at a place makes each of the totals that it is in: 1 of their counts, and the bounds of its day. */
export function contributionsOf(list: ListName, { id, companyId, state, date }: ListPosition): TotalsFigures[] {
  const day = date && dayFigure(date, state);
  const ofDay: readonly [string, number][] = day
    ? [
        [day, 1],
        [`${day}>`, id],
        [`${day}<`, id],
      ]
    : [];
  return (["all", companyId] as const).flatMap((scope) => [
    { key: totalsKey(list, scope), figures: new Map([[state, 1]]) },
    ...(date ? [{ key: totalsKey(list, scope, date), figures: new Map(ofDay) }] : []),
  ]);
}

/** Adds figures to totals; a bound becomes the outer one. */
export function addFigures(totals: TotalsByName, key: Key, figures: Iterable<[string, number]>): void {
  const name = nameOf(key);
  const known = totals.get(name)?.figures ?? new Map<string, number>();
  totals.set(name, { key, figures: known });
  for (const [figure, value] of figures) {
    const other = known.get(figure);
    known.set(figure, other === undefined ? value : joined(figure, value, other));
  }
}

/** What takes a record out of where it stood and into where it stands. */
export function changesOf(list: ListName, before: ListPosition | null, after: ListPosition | null): TotalsByName {
  const changes: TotalsByName = new Map();
  const isWithin =
    before?.companyId === after?.companyId && before?.state === after?.state && before?.date === after?.date;
  for (const { key, figures } of before ? contributionsOf(list, before) : []) {
    addFigures(changes, key, countsOf(figures, -1));
  }
  for (const { key, figures } of after ? contributionsOf(list, after) : []) {
    addFigures(changes, key, isWithin ? countsOf(figures) : figures);
  }
  // What one record leaves and enters again is no change; a figure that records changed places within stays, with 0.
  for (const { figures } of changes.values()) {
    for (const [figure, amount] of figures) if (amount === 0) figures.delete(figure);
  }
  return changes;
}

/** The counts among figures, so many times. */
export function countsOf(figures: Iterable<[string, number]>, times = 1): [string, number][] {
  return [...figures].flatMap(([figure, value]) => (isBound(figure) ? [] : [[figure, times * value]]));
}

/** Widens the bounds, and gives the writes that add the counts, on condition that nobody narrows bounds meanwhile. */
export async function writesOf(totals: TotalsByName, isFresh: boolean): Promise<TransactionWrite[]> {
  const all = [...totals.values()];
  const widened = all.filter(({ figures }) => [...figures.keys()].some(isBound));
  const bounds = widened.map(({ key, figures }) => ({
    key: partKey(key, ">"),
    figures: new Map([...figures].filter(([figure]) => isBound(figure))),
  }));
  const narrowed = await widenBounds(bounds, isFresh);
  const conditions = new Map(widened.map((each, at) => [each, ifNarrowed(narrowed[at])]));
  return all.flatMap((each) => writeOf(partKey(each.key, ""), countsOf(each.figures), conditions.get(each)));
}

/** Raises the revision even where the figures stay: a repair that read some of the records before and others after must see it. */
function writeOf(
  key: Key,
  counts: readonly [string, number][],
  condition: ReturnType<typeof ifNarrowed> | undefined,
): TransactionWrite[] {
  const adds = counts.filter(([, amount]) => amount !== 0);
  if (counts.length === 0) return condition ? [{ ConditionCheck: { Key: { ...key }, ...condition } }] : [];
  const clauses = ["revision :one", ...adds.map((_, at) => `#f${at} :f${at}`)];
  const values = Object.fromEntries(adds.map(([, amount], at) => [`:f${at}`, amount]));
  const update = {
    Key: { ...key },
    UpdateExpression: `ADD ${clauses.join(", ")} SET ${versionClause}`,
    ...condition,
    ...(adds.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(adds.map(([name], at) => [`#f${at}`, name])),
    }),
    ExpressionAttributeValues: { ...condition?.ExpressionAttributeValues, ...values, ":one": 1, ...versionValue },
  };
  return [{ Update: update }];
}
