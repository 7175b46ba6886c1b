import type { TimesheetState } from "../../shared/contract/finance.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { driverMark, type ListedFields, listedItems, requireWhole, toPage } from "../../shared/records/items.ts";
import { chunksOf } from "../../shared/run/batches.ts";
import type { FoundPage, PageStart } from "../../shared/run/paging.ts";
import { type BoundedRange, isWithinRange } from "../../shared/run/paging.ts";
import { maxBatchReads, readBatch } from "../../shared/table/reads.ts";
import type { Key } from "../../shared/table/table.ts";
import { keyOf, queryItems } from "../../shared/table/table.ts";

/** Each takes half a read unit, whichever page is asked for; more than two a day for 400 days are no driver's. */
const mostTimesheets = 1_000;

/** The timesheets that a driver asks for; one must meet all conditions (D21, D22). */
interface DriversFilter extends BoundedRange {
  readonly states: readonly TimesheetState[];
  readonly companyId: number | undefined;
}

/**
 * Access pattern T4: a page of the timesheets of a driver's profile, in any company, newest id first, and their number.
 * The index names those of the range, and the timesheets themselves say whose they are and in which state: rows and total
 * are of one reading. 0.5 read units a timesheet of the range, of up to 4 KB, and 0.5 for some 35 names; two round trips. Refuses
 * with `query_too_broad` if more than 1,000 are in the range.
 */
export async function findDriversTimesheets(
  profileId: number,
  filter: DriversFilter,
  start: PageStart,
): Promise<FoundPage<ListedFields<"TIMESHEETS">>> {
  const timesheets = await readTimesheets(await findKeys(profileId, filter));
  const { states, companyId } = filter;
  const own = timesheets.filter(
    ({ company_id, record: { driver, date, state } }) =>
      driver.profile_id === profileId &&
      isWithinRange(date, filter) &&
      states.includes(state) &&
      (companyId === undefined || company_id === companyId),
  );
  const below = own.filter(({ id }) => start.beforeId === undefined || id < start.beforeId);
  const end = start.skip + start.limit;
  const rows = below.toSorted((one, other) => other.id - one.id).slice(start.skip, end);
  return toPage<"TIMESHEETS">(rows, own.length, below.length > end);
}

async function findKeys(profileId: number, { fromDate, toDate }: BoundedRange): Promise<Key[]> {
  const [from, to] = [driverMark(profileId, fromDate, 0), driverMark(profileId, toDate, Number.MAX_SAFE_INTEGER)];
  const query = {
    IndexName: "by-mark",
    KeyConditionExpression: "mark_key = :driver AND mark_order BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":driver": from.mark_key, ":from": from.mark_order, ":to": to.mark_order },
  };
  const found = await queryItems(query, mostTimesheets + 1);
  if (found.length > mostTimesheets) throw tooManyTimesheets();
  return found.map(keyOf);
}

/** Reads timesheets as the lists of companies do: a change of the last moment may be missing. */
async function readTimesheets(keys: readonly Key[]) {
  const read = chunksOf(keys, maxBatchReads).map((some) => readBatch(some, { consistent: false }));
  const items = (await Promise.all(read)).flat();
  return items.flatMap((item) => (item ? [requireWhole(listedItems.TIMESHEETS.decode(item))] : []));
}

function tooManyTimesheets(): Refusal {
  const detail = `must be later, or to_date earlier: more than ${mostTimesheets} timesheets are in this range`;
  return new Refusal("query_too_broad", "The range of dates has too many timesheets", {
    errors: [{ parameter: "from_date", code: "too_broad", detail }],
  });
}
