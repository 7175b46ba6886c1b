import type { ListName, ListPlace } from "../../domain/records/list-place.ts";
import { readBatch } from "../table/batch-reads.ts";
import { versionClause, versionValue } from "../table/entity.ts";
import { nameOf } from "../table/keys.ts";
import type { Item, Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { figureNames, listTotals, totalsKey } from "./totals.ts";

const mostBoundFigures = 45;

/** How one totals item changes: what is added to its counts, and ids that its bounds must take in. */
interface TotalsChange {
  readonly key: Key;
  readonly added: Map<string, number>;
  readonly highest: Map<string, number>;
  readonly lowest: Map<string, number>;
}

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
  const changes = new Map<string, TotalsChange>();
  const changeOf = (key: Key): TotalsChange => {
    const name = nameOf(key);
    const change = changes.get(name) ?? { key, added: new Map(), highest: new Map(), lowest: new Map() };
    changes.set(name, change);
    return change;
  };
  return {
    move(list, before, after) {
      if (before) add(changeOf, list, before, -1);
      if (after) add(changeOf, list, after, 1);
    },
    size: () => changes.size,
    isFull: () => [...changes.values()].some(({ highest }) => highest.size > mostBoundFigures),
    async writes() {
      const bounded = [...changes.values()].filter(({ highest }) => highest.size > 0);
      const stored = await readBatch(bounded.map(({ key }) => key));
      const figuresByName = new Map(bounded.map(({ key }, at) => [nameOf(key), readFigures(stored[at])]));
      return [...changes.values()].flatMap((change) => writeOf(change, figuresByName.get(nameOf(change.key))));
    },
  };
}

function add(changeOf: (key: Key) => TotalsChange, list: ListName, place: ListPlace, sign: 1 | -1): void {
  const { id, companyId, state, date } = place;
  for (const scope of ["all", companyId] as const) {
    addTo(changeOf(totalsKey(list, scope)).added, state, sign);
    if (date === null) continue;
    const month = changeOf(totalsKey(list, scope, date.slice(0, 7)));
    const names = figureNames(date, state);
    addTo(month.added, names.count, sign);
    if (sign < 0) continue;
    month.highest.set(names.highest, Math.max(id, month.highest.get(names.highest) ?? id));
    month.lowest.set(names.lowest, Math.min(id, month.lowest.get(names.lowest) ?? id));
  }
}

function addTo(figures: Map<string, number>, name: string, amount: number): void {
  figures.set(name, (figures.get(name) ?? 0) + amount);
}

/** By name, whatever the state: a bound of a state that only newer code knows must be found as well. */
function readFigures(item: Item | undefined): ReadonlyMap<string, number> {
  return new Map(Object.entries(item ? listTotals.decode(item) : {}) as [string, number][]);
}

function writeOf(
  { key, added, highest, lowest }: TotalsChange,
  stored: ReadonlyMap<string, number> | undefined,
): TransactionWrite[] {
  const adds = [...added].filter(([, amount]) => amount !== 0);
  const bounds = [
    ...[...highest].map(([name, id]) => boundOf(name, id, stored?.get(name), "<")),
    ...[...lowest].map(([name, id]) => boundOf(name, id, stored?.get(name), ">")),
  ];
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
        Key: { ...key },
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
function boundOf(name: string, id: number, stored: number | undefined, beyond: "<" | ">") {
  if (stored === undefined) {
    return { name, id, mustMove: true, condition: (figure: string) => `attribute_not_exists(${figure})` };
  }
  const mustMove = beyond === "<" ? stored < id : stored > id;
  const within = beyond === "<" ? ">=" : "<=";
  return {
    name,
    id,
    mustMove,
    condition: (figure: string, value: string) => `${figure} ${mustMove ? beyond : within} ${value}`,
  };
}
