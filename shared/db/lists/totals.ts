import type { DateRange } from "../../domain/paging/date-range.ts";
import type { DayBucket } from "../../domain/paging/top-k-merge.ts";
import { getItem, type Item, queryPages } from "../table/table.ts";
import { totalsKey } from "./list-keys.ts";
import type { ListSelection } from "./list-pages.ts";

/** A bucket of one day. */
type DatedBucket = DayBucket & { readonly date: string };

/** Names of the three figures that a month's totals hold for each day and state. */
export function figureNames(date: string, state: string): { count: string; highest: string; lowest: string } {
  const name = `${date.slice(8)}${state}`;
  return { count: name, highest: `${name}>`, lowest: `${name}<` };
}

/** Access pattern L3: the number of records in a list. Half a read unit. */
export async function countList({ list, scope, states }: ListSelection): Promise<number> {
  const totals = await getItem(totalsKey(list, scope));
  return states.reduce((sum, state) => sum + Number(totals?.[state] ?? 0), 0);
}

/** Access pattern L4: what the totals know of a list by day and state. One query; half a read unit a month when dense. */
export async function findDayBuckets(selection: ListSelection, range: DateRange): Promise<DatedBucket[]> {
  const { fromDate = "0000-01-01", toDate = "9999-12-31" } = range;
  const { pk } = totalsKey(selection.list, selection.scope);
  const found: DatedBucket[] = [];
  const months = queryPages({
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":pk": pk, ":from": fromDate.slice(0, 7), ":to": toDate.slice(0, 7) },
  });
  for await (const page of months) found.push(...page.flatMap((month) => bucketsOf(month, selection.states)));
  return found.filter(({ date }) => date >= fromDate && date <= toDate);
}

function bucketsOf(month: Item, states: readonly string[]): DatedBucket[] {
  return Object.keys(month).flatMap((name) => {
    const day = name.slice(0, 2);
    const state = name.slice(2);
    if (!/^\d\d$/.test(day) || !states.includes(state) || Number(month[name]) <= 0) return [];
    const date = `${month.sk}-${day}`;
    const { highest, lowest } = figureNames(date, state);
    return [
      { date, state, count: Number(month[name]), highest: Number(month[highest]), lowest: Number(month[lowest]) },
    ];
  });
}
