import { isDeepStrictEqual } from "node:util";
import { listedItems, monthKey, stateKey } from "../../../shared/records/items.ts";
import { listPositionOf } from "../../../shared/records/totals.ts";
import { sleep } from "../../../shared/run/backoff.ts";
import { chunksOf } from "../../../shared/run/batches.ts";
import { allMonths, type Count, countsBetween, foldCounts, stateOfDay } from "../../../shared/table/counters.ts";
import { maxBatchReads, readBatch } from "../../../shared/table/reads.ts";
import { paces, retry } from "../../../shared/table/retry.ts";
import type { Item } from "../../../shared/table/table.ts";
import { keyOf, projectionOf, queryPages } from "../../../shared/table/table.ts";
import { addIfAsRead, type CompanyList, type CounterParts, listStates, readCounters, sumsOf } from "./list-counters.ts";

/** Differences that are still there after as long are no change under way. */
const looksApartMs = 60_000;
/** An index follows the table within a second, seldom later. */
const indexLagMs = 2_000;

/** The number of records that were compared, and the figures that have to be added to the counters. */
export interface Recount {
  readonly records: number;
  readonly differences: readonly Count[];
}

const comparedPaths = "pk sk schema_version id record.state record.date record.issued_date record.number".split(" ");

/**
 * Access pattern R4: compares the counters of a company's list with its records, beside traffic. It reports the
 * differences that it finds twice, `apartMs` apart, while nobody writes the counter. First it reads rows of an index,
 * half a unit for 4 KB. If the counters differ from these, it waits `lagMs` for the index and reads the records of the
 * months that differ, a unit each. With `repairs` it adds the differences.
 */
export async function recount(
  companyList: CompanyList,
  { repairs = false, apartMs = looksApartMs, lagMs = indexLagMs } = {},
): Promise<Recount> {
  const attempt = async (): Promise<Recount | undefined> => {
    const { records, ...first } = await compare(companyList);
    if (first.differences.length === 0) return { records, differences: [] };
    await sleep(apartMs);
    const second = await compare(companyList, { months: first.differences.map(({ month }) => month), lagMs });
    const differences = first.differences.flatMap((count) => commonFigures(second.differences, count));
    const isDone = !repairs || (await addIfAsRead(differences, second.counters));
    return isDone ? { records, differences } : undefined;
  };
  return retry(paces.recount, attempt, () => {
    throw new Error(
      `Others write the counters of the ${companyList.list} of company ${companyList.companyId} all the time`,
    );
  });
}

/** A counter, and what has to be added to its figures. */
export function describeDifference({ list, companyId, month, figures }: Count): string {
  const amounts = [...figures].map(([figure, amount]) => `${figure} ${amount > 0 ? "+" : ""}${amount}`);
  return `${list} of company ${companyId}, ${month}: ${amounts.join(", ")}`;
}

/** Compares all counters with the rows of an index, or those of some months with their records. */
async function compare(
  companyList: CompanyList,
  recheck?: { readonly months: readonly string[]; readonly lagMs: number },
) {
  const before = await readCounters(companyList);
  await sleep(recheck?.lagMs ?? 0);
  let [records, counted]: [number, Count[]] = [0, []];
  for await (const rows of recheck ? recordsOf(companyList, recheck.months) : rowsOf(companyList, allMonths)) {
    records += rows.length;
    counted = foldCounts([...counted, ...rows.flatMap((row) => countsOf(companyList, row))]);
  }
  const counters = await readCounters(companyList);
  const stored = sumsOf(companyList, before);
  const isCompared = ({ month }: Count) => recheck?.months.includes(month) ?? true;
  const others = stored.filter((count) => !isCompared(count) && isCounted(companyList, count.month));
  const months = [...counted.filter(isCompared), ...others];
  // The counter of all months is the sum of the months' counters: it can be compared only if nobody wrote any of them.
  const partsOf = (parts: CounterParts, month: string) => (month === allMonths ? parts : parts.get(month));
  const isStill = ({ month }: Count) => isDeepStrictEqual(partsOf(before, month), partsOf(counters, month));
  const differences = foldCounts([...months, ...months.flatMap(countsOfAllMonths), ...stored.map(negative)]).filter(
    isStill,
  );
  return { records, counters, differences };
}

/** Counts a record in its month, or a job in all. A damaged record stands nowhere. */
function countsOf({ list, companyId }: CompanyList, row: Item): Count[] {
  const place = listPositionOf(list, listedItems[list].decode({ company_id: companyId, ...row }));
  if (place?.companyId !== companyId) return [];
  return countsBetween(list, null, place).filter(({ month }) => isCounted({ list }, month));
}

/**
 * True for a counter whose records are counted. The counter of all months is the sum of the months' counters; jobs have
 * no months, so their records are counted for it.
 */
function isCounted({ list }: Pick<CompanyList, "list">, month: string): boolean {
  return (month === allMonths) === (list === "JOBS");
}

/** The counts in all months that follow from those of a month. */
function countsOfAllMonths(count: Count): Count[] {
  return [...count.figures].flatMap(([figure, amount]) => {
    const state = stateOfDay(figure);
    return state === undefined ? [] : [{ ...count, month: allMonths, figures: new Map([[state, amount]]) }];
  });
}

function negative(count: Count): Count {
  return { ...count, figures: new Map([...count.figures].map(([figure, amount]) => [figure, -amount])) };
}

/** The figures of a count that are alike in others. */
function commonFigures(others: readonly Count[], count: Count): Count[] {
  const figures = others.find(({ month }) => month === count.month)?.figures;
  const alike = [...count.figures].filter(([figure, amount]) => figures?.get(figure) === amount);
  return foldCounts([{ ...count, figures: new Map(alike) }]);
}

/** Reads the rows of a company's list, or of one of its months. */
async function* rowsOf({ list, companyId }: CompanyList, month: string): AsyncGenerator<Item[]> {
  const [IndexName, attribute] =
    month === allMonths ? ["by-company", "company_key"] : ["by-company-month", "company_month_key"];
  const query = { IndexName, KeyConditionExpression: `${attribute} = :key`, ...projectionOf(comparedPaths) };
  for (const state of listStates[list]) {
    const key = month === allMonths ? stateKey(list, companyId, state) : monthKey(list, companyId, state, month);
    yield* queryPages({ ...query, ExpressionAttributeValues: { ":key": key } });
  }
}

/** Reads the records of months consistently. */
async function* recordsOf(companyList: CompanyList, months: readonly string[]): AsyncGenerator<Item[]> {
  for (const month of months.filter((each) => isCounted(companyList, each))) {
    for await (const rows of rowsOf(companyList, month)) {
      for (const keys of chunksOf(rows.map(keyOf), maxBatchReads)) {
        yield (await readBatch(keys, { paths: ["company_id", ...comparedPaths] })).filter(
          (record) => record !== undefined,
        );
      }
    }
  }
}
