import { Refusal } from "../contract/refusals.ts";
import { type DateRange, type FoundPage, isWithinRange, type PageStart } from "../run/paging.ts";
import { countedStates, type ListName } from "../table/counters.ts";
import { mergeReads, type Source } from "../table/reads.ts";
import { queryItems, queryPage } from "../table/table.ts";
import {
  cutPage,
  dayId,
  type ListedFields,
  type ListRow,
  listedField,
  monthKey,
  type PositionFields,
  stateKey,
  toPage,
  toRow,
} from "./items.ts";
import { countDays, countList, type DayCount, type ListSelection } from "./totals.ts";

/**
 * Pages that begin after so many rows take two round trips, and read no more rows of a state than they need. On earlier
 * pages a round trip costs more than the rows.
 */
const deep = 100;

/** Above every id. */
const aboveAll = Number.MAX_SAFE_INTEGER + 1;

/** The number of rows that a page needs: one more than it shows says that more follow. */
function wantedRows({ skip, limit }: PageStart): number {
  return skip + limit + 1;
}

/**
 * The newest rows in the states of a list, whatever their dates: as many as a page needs, fewer only if there are no
 * more. 0.5 read units for each 4 KB of rows a state.
 */
function readNewest<L extends ListName>(selection: ListSelection<L>, start: PageStart): Promise<ListRow<L>[]> {
  const limit = wantedRows(start);
  const sources = selection.states.map(
    (state): Source<ListRow<L>> => ({ read: (below, most) => readState(selection, state, below, most) }),
  );
  return mergeReads(sources, {
    below: start.beforeId ?? aboveAll,
    limit,
    share: start.skip < deep ? limit : undefined,
  });
}

async function readState<L extends ListName>(
  { list, scope }: ListSelection<L>,
  state: string,
  below: number,
  most: number,
): Promise<ListRow<L>[]> {
  const [index, attribute] = scope === "all" ? ["by-state", "all_key"] : ["by-company", "company_key"];
  const query = {
    IndexName: index,
    KeyConditionExpression: `${attribute} = :key AND id <= :highest`,
    ExpressionAttributeValues: { ":key": stateKey(list, scope, state), ":highest": below - 1 },
    ScanIndexForward: false,
  };
  return (await queryItems(query, most)).map((item) => toRow(list, item));
}

/** Most pairs of a day and a state that are read for one page of all companies: half a read unit each. */
const mostParts = 2_000;
/** Rows that a read takes beyond those that are missing: a second read costs a round trip. */
const margin = 3;
/** Most rows of a read: half a megabyte. */
const mostRows = 1_500;

/**
 * Access pattern L2: one page of the records of a list within a range of dates, newest id first. Ids need not follow
 * dates. Reads two things at once: the counts of the range, and the newest rows of any date. From the lowest id of these
 * rows upwards, no row is missing. If too few of them are in the range, it reads more rows below that id: those of the
 * months in which the company has records by the counts, or for all companies those of the days.
 */
async function findDatedPage<L extends ListName>(
  selection: ListSelection<L>,
  start: PageStart,
): Promise<FoundPage<ListedFields<L>>> {
  // An old count of all companies may have a record in another state than its row.
  const counting = countDays({ ...selection, states: countedStates });
  if (start.skip >= deep && selection.scope !== "all") {
    const total = totalOf(await counting, selection);
    if (start.skip >= total) return toPage([], total, false);
  }
  const [days, newest] = await Promise.all([counting, readNewest(selection, start)]);
  const wanted = wantedRows(start);
  const found = newest.filter(isInDates(selection));
  const lowest = newest.length < wanted ? undefined : newest.at(-1)?.id;
  if (lowest !== undefined && found.length < wanted) {
    const parts = selection.scope === "all" ? daysOf(selection, days) : monthsOf(selection, days, found);
    if (parts.length > mostParts) throw tooManyDates();
    const sources = parts.map((part) => sourceOf(selection, part));
    found.push(...(await mergeReads(sources, { below: lowest, limit: wanted - found.length })));
  }
  return cutPage(found, totalOf(days, selection), start);
}

function tooManyDates(): Refusal {
  const detail = "is required for so many dates: reading them for all companies takes too much; or give fewer months";
  return new Refusal("query_too_broad", "The range of dates of all companies is too broad", {
    errors: [{ parameter: "by_company", code: "required", detail }],
  });
}

function totalOf(days: readonly DayCount[], { states, ...range }: Pick<ListSelection, "states"> & DateRange): number {
  const counted = days.filter(({ date, state }) => states.includes(state) && isWithinRange(date, range));
  return counted.reduce((sum, { count }) => sum + count, 0);
}

function isInDates<L extends ListName>(selection: ListSelection<L>): (row: ListRow<L>) => boolean {
  return ({ record }) => isWithinRange(listedField(selection.list, "date", record), selection);
}

/** Rows in descending order of their ids: those of a state in a month of a company, or on a day of all companies. */
interface ListPart extends Pick<DayCount, "date" | "state"> {
  /** The most rows in the range that are not known yet. */
  readonly left: number;
  /** The rows for each of those in the range. */
  readonly ratio: number;
  /** The rows with dates after the range. */
  readonly later: number;
}

/** The parts of all companies: each state on each day in the range that has records. */
function daysOf(selection: ListSelection, days: readonly DayCount[]): ListPart[] {
  const dates = new Set(days.flatMap(({ date }) => (isWithinRange(date, selection) ? [date] : [])));
  return [...dates].flatMap((date) => selection.states.map((state) => ({ date, state, left: 1, ratio: 1, later: 0 })));
}

/** The parts of a company that have rows in the range beside those that are known. */
function monthsOf<L extends ListName>(
  { list, states, fromDate, toDate }: ListSelection<L>,
  days: readonly DayCount[],
  known: readonly ListRow<L>[],
): ListPart[] {
  const nameOf = ({ date, state }: Pick<DayCount, "date" | "state">) => `${date.slice(0, 7)} ${state}`;
  const knownOf = Map.groupBy(known, ({ record }) => nameOf(placeIn(list, record)));
  return [...Map.groupBy(days, nameOf)].flatMap(([name, ofPart]) => {
    const inRange = totalOf(ofPart, { states, fromDate, toDate });
    const left = inRange - (knownOf.get(name)?.length ?? 0);
    const [all, upToEnd] = [totalOf(ofPart, { states }), totalOf(ofPart, { states, toDate })];
    return ofPart[0] && left > 0 ? [{ ...ofPart[0], left, ratio: all / inRange, later: all - upToEnd }] : [];
  });
}

function placeIn(list: ListName, record: PositionFields): Pick<DayCount, "date" | "state"> {
  return { date: listedField(list, "date", record), state: listedField(list, "state", record) };
}

/**
 * Reads of a part. If some rows of a read are outside of the range, the next read takes more rows, as many as would do
 * if ids were in no order. If none is in the range, the next read goes on to the id with which the range begins if ids
 * follow dates. The reads end with the last row in the range; otherwise they would go on to the end of the part.
 */
function sourceOf<L extends ListName>(
  selection: ListSelection<L>,
  { date, state, ...part }: ListPart,
): Source<ListRow<L>> {
  let { left, later } = part;
  return {
    async read(below, least) {
      const found: ListRow<L>[] = [];
      let next: number | undefined = below;
      for (let factor = 1; next !== undefined && left > 0 && found.length < least; factor *= 2) {
        const inNoOrder = Math.ceil((least - found.length + margin) * part.ratio) * factor;
        const inOrder = factor > 1 && found.length === 0 ? later + least : 0;
        const Limit = Math.min(Math.max(inNoOrder, inOrder), mostRows);
        const { items, lastKey } = await queryPage({ ...queryOf(selection, date, state, next), Limit });
        const rows = items.map((item) => toRow(selection.list, item));
        const inRange = rows.filter(isInDates(selection));
        found.push(...inRange);
        later -= rows.length - inRange.length;
        if (part.ratio > 1) left -= inRange.length;
        next = lastKey && rows.at(-1)?.id;
      }
      return found;
    },
  };
}

function queryOf({ list, scope }: ListSelection, date: string, state: string, below: number) {
  const values = { ":key": monthKey(list, scope, state, date) };
  if (scope === "all") {
    return {
      IndexName: "by-month",
      KeyConditionExpression: "month_key = :key AND day_id BETWEEN :from AND :to",
      ExpressionAttributeValues: { ...values, ":from": dayId(date, 0), ":to": dayId(date, below - 1) },
      ScanIndexForward: false,
    };
  }
  return {
    IndexName: "by-company-month",
    KeyConditionExpression: "company_month_key = :key AND id <= :highest",
    ExpressionAttributeValues: { ...values, ":highest": below - 1 },
    ScanIndexForward: false,
  };
}

/** One page of a list, newest id first, within a range of dates if one is given. */
export function findListPage<L extends ListName>(
  selection: ListSelection<L>,
  start: PageStart,
): Promise<FoundPage<ListedFields<L>>> {
  const isUndated = selection.fromDate === undefined && selection.toDate === undefined;
  return isUndated ? findUndatedPage(selection, start) : findDatedPage(selection, start);
}

/**
 * Access pattern L1: a page, newest id first. 1 read unit a state for 20 rows, and L3, in one round trip. Past the end of
 * a company's list L3 alone is read; the total of all companies may be late, so it does not decide that.
 */
async function findUndatedPage<L extends ListName>(
  selection: ListSelection<L>,
  start: PageStart,
): Promise<FoundPage<ListedFields<L>>> {
  const counting = countList(selection);
  if (start.skip >= deep && selection.scope !== "all") {
    const total = await counting;
    if (start.skip >= total) return toPage([], total, false);
  }
  const [total, rows] = await Promise.all([counting, readNewest(selection, start)]);
  return cutPage(rows, total, start);
}
