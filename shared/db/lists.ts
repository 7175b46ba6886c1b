import type { Scope } from "../domain/caller.ts";
import type { PageStart } from "../domain/paging.ts";
import { toRecord } from "./records.ts";
import { type Item, queryPage, queryPages } from "./table.ts";

/** A list of records that runs by descending id. */
export type ListName = "INVOICES" | "TIMESHEETS" | "JOBS";

/** Jobs have no states: all stand in one list. */
export const jobListState = "published";

/** The records of a list in some states, of one company or of all. */
export interface ListSelection {
  readonly list: ListName;
  readonly states: readonly string[];
  readonly scope: Scope;
}

/** One page of a list. */
export interface ListPage<Fields> {
  readonly items: readonly Fields[];
  readonly total: number;
  /** True when more items follow. */
  readonly hasMore: boolean;
}

/** The index attributes of a record, which place it in its lists. */
export function listKeys(list: ListName, companyId: number, state: string): { all_key: string; company_key: string } {
  return { all_key: `${list}#${state}`, company_key: `COMPANY#${companyId}#${list}#${state}` };
}

/**
 * Access pattern L1: one page, newest id first. One query a state in parallel, merged; 1.5 read units a state for a page
 * of 20, and the total.
 */
export async function findListPage<Fields>(selection: ListSelection, start: PageStart): Promise<ListPage<Fields>> {
  const wanted = start.skip + start.limit + 1;
  const [total, ...rows] = await Promise.all([
    countList(selection),
    ...selection.states.map((state) => readNewest(selection, state, wanted, start.beforeId)),
  ]);
  const merged = rows.flat().sort(byDescendingId);
  const items = merged.slice(start.skip, start.skip + start.limit).map((item) => toRecord<Fields>(item).fields);
  return { items, total, hasMore: merged.length > start.skip + start.limit };
}

/** What the records of a list must be beside their place in it. */
export interface ListFilter<Fields> {
  matches(record: Fields): boolean;
  /** Most records that may match, and the refusal above it; left out, any number may. */
  readonly most?: { readonly count: number; refusal(): Error };
}

/** Access pattern L2: one page of the records of a list that match, newest id first. Reads the list whole. */
export async function findMatchingPage<Fields extends { id: number }>(
  selection: ListSelection,
  { matches, most }: ListFilter<Fields>,
  start: PageStart,
): Promise<ListPage<Fields>> {
  const found: Fields[] = [];
  for (const state of selection.states) {
    for await (const rows of queryPages(partition(selection, state))) {
      found.push(...rows.map((item) => toRecord<Fields>(item).fields).filter(matches));
      if (most && found.length > most.count) throw most.refusal();
    }
  }
  const { beforeId = Number.POSITIVE_INFINITY, skip, limit } = start;
  const after = found.sort(byDescendingId).filter(({ id }) => id < beforeId);
  return { items: after.slice(skip, skip + limit), total: found.length, hasMore: after.length > skip + limit };
}

/** Access pattern L3: the number of records in a list. Counts the index. */
async function countList(selection: ListSelection): Promise<number> {
  const counts = await Promise.all(
    selection.states.map(async (state) => {
      let count = 0;
      let lastKey: Item | undefined;
      do {
        const page = await queryPage({ ...partition(selection, state), Select: "COUNT", ExclusiveStartKey: lastKey });
        count += page.count;
        lastKey = page.lastKey;
      } while (lastKey);
      return count;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function readNewest(
  selection: ListSelection,
  state: string,
  wanted: number,
  beforeId: number | undefined,
): Promise<Item[]> {
  const rows: Item[] = [];
  const query = { ...partition(selection, state, beforeId), Limit: wanted };
  for await (const page of queryPages(query)) {
    rows.push(...page);
    if (rows.length >= wanted) break;
  }
  return rows.slice(0, wanted);
}

function partition({ list, scope }: ListSelection, state: string, beforeId?: number) {
  const [index, attribute, key] =
    scope === "all"
      ? ["by-state", "all_key", `${list}#${state}`]
      : ["by-company", "company_key", `COMPANY#${scope}#${list}#${state}`];
  const before = beforeId === undefined ? "" : " AND id < :before";
  return {
    IndexName: index,
    KeyConditionExpression: `${attribute} = :key${before}`,
    ExpressionAttributeValues: beforeId === undefined ? { ":key": key } : { ":key": key, ":before": beforeId },
    ScanIndexForward: false,
  };
}

function byDescendingId(a: { id?: unknown }, b: { id?: unknown }): number {
  return Number(b.id) - Number(a.id);
}
