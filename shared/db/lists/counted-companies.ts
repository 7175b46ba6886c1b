import { queryPages } from "../table/table.ts";
import { figuresOf } from "../writes/counter-parts.ts";
import { companyOf, counters, totalPartitions } from "../writes/counters.ts";
import { listNames } from "./list-keys.ts";

/**
 * Access pattern R6: the companies that have counters, by ascending id, each with the number of its records. Half a read
 * unit for 4 KB of the counters of all their months, some 25 parts.
 */
export async function findCountedCompanies(): Promise<Map<number, number>> {
  const records = new Map<number, number>();
  for (const key of listNames.flatMap((list) => totalPartitions(list, false))) {
    const query = { IndexName: "by-total", KeyConditionExpression: "total_key = :key" };
    for await (const page of queryPages({ ...query, ExpressionAttributeValues: { ":key": key } })) {
      for (const part of page.map(counters.decode)) {
        const id = companyOf(part);
        const sum = [...figuresOf(part).values()].reduce((all, figure) => all + figure, 0);
        records.set(id, (records.get(id) ?? 0) + sum);
      }
    }
  }
  return new Map([...records].sort(([one], [other]) => one - other));
}

/** The records that one night compares. */
export const recordsANight = 5_000_000;
/** The calls for a company take as long as reading so many rows. */
const recordsOfCompany = 1_000;
const msPerDay = 86_400_000;

/**
 * The companies that are compared in a night: all of them if the records of all fit into one night. Otherwise they are
 * those that follow the companies of the night before; after the last company the first one follows.
 */
export function companiesOfNight(records: ReadonlyMap<number, number>, now: Date): number[] {
  let size = 0;
  const byNight = Map.groupBy(records, ([, own]) => {
    const night = Math.floor(size / recordsANight);
    size += recordsOfCompany + Math.max(own, 0);
    return night;
  });
  const nights = [...byNight.values()];
  const day = Math.floor(now.getTime() / msPerDay);
  return (nights[day % nights.length] ?? []).map(([id]) => id);
}
