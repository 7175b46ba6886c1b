import { inParallel } from "../../batches.ts";
import { isWithinRange } from "../../domain/paging/date-range.ts";
import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import { belowId, type DayBucket, mergeDays, thresholdFor } from "../../domain/paging/top-k-merge.ts";
import { type ListName, listedDate } from "../../domain/records/list-position.ts";
import { queryPage } from "../table/table.ts";
import { dayId, monthKey, stateKey } from "./list-keys.ts";
import { cutPage, type ListedFields, type ListRow, toRow } from "./listed-items.ts";
import { countList, findDayBuckets, type ListSelection } from "./totals.ts";

/** Rows that half a read unit holds: while many buckets are open, no more is read of each at first. */
const rowsOfHalfAUnit = 8;
const fewBuckets = 6;
const manyBuckets = 40;
const mostAtOnce = 40;

/**
 * Access pattern L2: one page of the records of a list within a range of dates, newest id first. Ids need not follow
 * dates, so the totals say first which days can hold the page's ids, and only those are opened. At most 20 read units and
 * three round trips for the first page of 20 over twelve months; past the end the totals alone are read.
 */
export async function findDatedPage<L extends ListName>(
  selection: ListSelection<L>,
  start: PageStart,
): Promise<FoundPage<ListedFields<L>>> {
  const known = await findDayBuckets(selection);
  const total = known.reduce((sum, { count }) => sum + count, 0);
  if (start.skip >= total) return cutPage([], total, start);
  const wanted = start.skip + start.limit + 1;
  const open = belowId(known, start.beforeId ?? Number.POSITIVE_INFINITY);
  return cutPage(await readNewest(selection, open, wanted), total, start);
}

/** The newest rows of the buckets: round by round, from the highest id on that promises enough of them. */
async function readNewest<L extends ListName>(
  selection: ListSelection<L>,
  buckets: readonly DayBucket[],
  wanted: number,
): Promise<ListRow<L>[]> {
  let found: ListRow<L>[] = [];
  let { unread, limitPerBucket } = await chooseReading(selection, buckets, wanted);
  for (let round = 0; unread.length > 0; round += 1) {
    // Bounds that records have left promise too much: each round asks for more.
    const missing = (wanted - found.length) * 2 ** Math.max(0, round - 1);
    const lowestWanted = found[wanted - 1]?.id ?? thresholdFor(unread, missing);
    const opened = unread.filter(({ highest }) => highest >= lowestWanted);
    if (opened.length === 0) break;
    const limit = round > 0 || opened.length <= fewBuckets ? limitPerBucket : Math.min(limitPerBucket, rowsOfHalfAUnit);
    const read: BucketRows<L>[] = [];
    await inParallel(opened, mostAtOnce, async (bucket) => {
      read.push(await readBucket(selection, bucket, lowestWanted, limit));
    });
    found = [...found, ...read.flatMap(({ rows }) => rows)].sort((a, b) => b.id - a.id).slice(0, wanted);
    unread = [...unread.filter(({ highest }) => highest < lowestWanted), ...read.flatMap(({ rest }) => rest)];
  }
  return found;
}

/** Day by day, unless that opens so many days that reading past the records of other days costs less. */
async function chooseReading(selection: ListSelection, buckets: readonly DayBucket[], wanted: number) {
  const byDay = { unread: [...buckets], limitPerBucket: wanted };
  const from = thresholdFor(buckets, wanted);
  const opened = buckets.filter(({ highest }) => highest >= from).length;
  if (opened <= manyBuckets) return byDay;
  const inRange = buckets.reduce((sum, { count }) => sum + count, 0);
  const rowsForOne = Math.max(1, (await countList(selection)) / inRange);
  const rows = Math.ceil(wanted * rowsForOne);
  const merged = mergeDays(buckets);
  if (rows * merged.length > opened * rowsOfHalfAUnit) return byDay;
  return { unread: merged, limitPerBucket: rows };
}

/** Rows of a bucket, and what of it is still unread. */
interface BucketRows<L extends ListName> {
  readonly rows: ListRow<L>[];
  readonly rest: DayBucket[];
}

/** The newest rows of a bucket from an id on, and what of it is still unread. */
async function readBucket<L extends ListName>(
  selection: ListSelection<L>,
  bucket: DayBucket,
  fromId: number,
  limit: number,
): Promise<BucketRows<L>> {
  const { count, lowest } = bucket;
  const query = { ...queryOf(selection, bucket, fromId), ScanIndexForward: false, Limit: limit };
  const { items, lastKey } = await queryPage(query);
  const { list } = selection;
  const read = items.map((item) => toRow(list, item));
  const isOfRange = ({ record }: ListRow<L>) => isWithinRange(listedDate(list, record) ?? "", selection);
  const rows = bucket.date === null ? read.filter(isOfRange) : read;
  const readTo = (lastKey && read.at(-1)?.id) ?? fromId;
  const rest = readTo > lowest ? [{ ...bucket, highest: readTo - 1, count: Math.max(1, count - rows.length) }] : [];
  return { rows, rest };
}

function queryOf({ list, scope }: ListSelection, { date, state, highest }: DayBucket, fromId: number) {
  const ofAll = scope === "all";
  if (date === null) {
    return {
      IndexName: ofAll ? "by-state" : "by-company",
      KeyConditionExpression: `${ofAll ? "all_key" : "company_key"} = :key AND id BETWEEN :from AND :to`,
      ExpressionAttributeValues: { ":key": stateKey(list, scope, state), ":from": fromId, ":to": highest },
    };
  }
  const [from, to] = [dayId(date, fromId), dayId(date, highest)];
  return {
    IndexName: ofAll ? "by-month" : "by-company-month",
    KeyConditionExpression: `${ofAll ? "month_key" : "company_month_key"} = :key AND day_id BETWEEN :from AND :to`,
    ExpressionAttributeValues: { ":key": monthKey(list, scope, state, date), ":from": from, ":to": to },
  };
}
