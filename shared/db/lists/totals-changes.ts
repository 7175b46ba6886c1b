import type { ListName, ListPlace } from "../../domain/records/list-place.ts";
import { readBatch } from "../table/batch-reads.ts";
import { versionClause, versionValue } from "../table/entity.ts";
import { nameOf } from "../table/keys.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { countIn, type Figures, isBound, readFigures, type TotalsByName, type TotalsFigures } from "./totals.ts";

/** Two for each day and state. */
const mostBounds = 90;

/** Changes of totals items, folded: each item is written once, however many records moved. */
export interface TotalsChanges {
  /** Takes a record out of where it stood and into where it stands. */
  move(list: ListName, before: ListPlace | null, after: ListPlace | null): void;
  /** Number of items that would be written. */
  size(): number;
  /** True when an item changes so many figures that its expressions near their limit of 4 KB. */
  isFull(): boolean;
  /** The writes, for totals as they are now, on condition that each bound still must move, or still need not. */
  writes(): Promise<TransactionWrite[]>;
}

/** No changes yet. */
export function createTotalsChanges(): TotalsChanges {
  const changes: TotalsByName = new Map();
  return {
    move(list, before, after) {
      if (before) countIn(changes, list, before, -1);
      if (after) countIn(changes, list, after, 1);
    },
    size: () => changes.size,
    isFull: () => [...changes.values()].some((change) => boundsOf(change).length > mostBounds),
    async writes() {
      const bounded = [...changes.values()].filter((change) => boundsOf(change).length > 0);
      const stored = await readBatch(bounded.map(({ key }) => key));
      const figuresByName = new Map(bounded.map(({ key }, at) => [nameOf(key), readFigures(stored[at])]));
      return [...changes.values()].flatMap((change) => writeOf(change, figuresByName.get(nameOf(change.key))));
    },
  };
}

function boundsOf({ figures }: TotalsFigures): [string, number][] {
  return [...figures].filter(([name]) => isBound(name));
}

function writeOf(change: TotalsFigures, stored: Figures | undefined): TransactionWrite[] {
  const adds = [...change.figures].filter(([name, amount]) => !isBound(name) && amount !== 0);
  const bounds = boundsOf(change).map(([name, id]) => boundOf(name, id, stored?.[name]));
  if (adds.length === 0 && bounds.every(({ mustMove }) => !mustMove)) return [];
  const figures = [["revision", 1] as const, ...adds, ...bounds.map(({ name, id }) => [name, id] as const)];
  const clauseOf = (from: number, to: number, join: string) =>
    figures.slice(from, to).map((_, at) => `#f${from + at}${join}:f${from + at}`);
  const firstBound = 1 + adds.length;
  const moved = bounds.flatMap(({ mustMove }, at) => (mustMove ? [`#f${firstBound + at} = :f${firstBound + at}`] : []));
  const sets = [versionClause, ...moved].join(", ");
  const conditions = bounds.map(({ condition }, at) => condition(`#f${firstBound + at}`, `:f${firstBound + at}`));
  return [
    {
      Update: {
        Key: { ...change.key },
        UpdateExpression: `ADD ${clauseOf(0, firstBound, " ").join(", ")} SET ${sets}`,
        ...(bounds.length > 0 && { ConditionExpression: conditions.join(" AND ") }),
        ExpressionAttributeNames: Object.fromEntries(figures.map(([name], at) => [`#f${at}`, name])),
        ExpressionAttributeValues: {
          ...Object.fromEntries(figures.map(([, value], at) => [`:f${at}`, value])),
          ...versionValue,
        },
      },
    },
  ];
}

/** A bound that an id must lie within: whether it has to move for that, and the condition under which that stays true. */
function boundOf(name: string, id: number, stored: number | undefined) {
  if (stored === undefined) {
    return { name, id, mustMove: true, condition: (figure: string) => `attribute_not_exists(${figure})` };
  }
  const beyond = name.endsWith(">") ? "<" : ">";
  const mustMove = beyond === "<" ? stored < id : stored > id;
  const within = beyond === "<" ? ">=" : "<=";
  return {
    name,
    id,
    mustMove,
    condition: (figure: string, value: string) => `${figure} ${mustMove ? beyond : within} ${value}`,
  };
}
