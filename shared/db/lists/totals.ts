import type { Scope } from "../../domain/caller.ts";
import type { DateRange } from "../../domain/paging/date-range.ts";
import type { DayBucket } from "../../domain/paging/top-k-merge.ts";
import type { ListName } from "../../domain/records/list-position.ts";
import { keyOf } from "../table/item-keys.ts";
import { getItem, queryItems } from "../table/table.ts";
import { dayFigure, type Figures, partKey, readFigures, totalsKey, wholeKey } from "./stored-totals.ts";

/** The records of a list in some states, of one company or of all, within a range of dates (D21). */
export interface ListSelection<L extends ListName = ListName> extends DateRange {
  readonly list: L;
  readonly states: readonly string[];
  readonly scope: Scope;
}

/** A bucket of one day. */
type DatedBucket = DayBucket & { readonly date: string };

/** Access pattern L3: the number of records in a list. Half a read unit. */
export async function countList({ list, scope, states }: ListSelection): Promise<number> {
  const figures = readFigures(await getItem(totalsKey(list, scope)));
  return states.reduce((sum, state) => sum + (figures[state] ?? 0), 0);
}

/** Access pattern L4: what the totals know of a list by day and state. One query; half a read unit for a dense month. */
export async function findDayBuckets(selection: ListSelection): Promise<DatedBucket[]> {
  const { list, scope, fromDate = "0000-01-01", toDate = "9999-12-31" } = selection;
  const [from, to] = [totalsKey(list, scope, fromDate), totalsKey(list, scope, toDate)];
  const items = await queryItems({
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":pk": from.pk, ":from": from.sk, ":to": partKey(to, "").sk },
  });
  const months = Map.groupBy(items, (item) => wholeKey(keyOf(item)).sk);
  const found = [...months].flatMap(([month, parts]) =>
    bucketsOf(month, Object.assign({}, ...parts.map(readFigures)), selection.states),
  );
  return found.filter(({ date }) => date >= fromDate && date <= toDate);
}

function bucketsOf(month: string, figures: Figures, wanted: readonly string[]): DatedBucket[] {
  return days.flatMap((day) =>
    wanted.flatMap((state) => {
      const date = `${month}-${day}`;
      const name = dayFigure(date, state);
      const { [name]: count = 0, [`${name}>`]: highest = -Infinity, [`${name}<`]: lowest = Infinity } = figures;
      return count > 0 ? [{ date, state, count, highest, lowest }] : [];
    }),
  );
}

const days = Array.from({ length: 31 }, (_, at) => `${at + 1}`.padStart(2, "0"));
