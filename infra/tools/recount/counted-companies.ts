import { allMonths, companyOf, counters, totalQueries } from "../../../shared/table/counters.ts";
import { queryPages } from "../../../shared/table/table.ts";
import { listNames } from "./list-counters.ts";

/**
 * Access pattern R6: the companies that have counters, by ascending id. Half a read unit for 4 KB of the counters of all
 * their months, some 25 parts.
 */
export async function findCountedCompanies(): Promise<number[]> {
  const companies = new Set<number>();
  for (const query of listNames.flatMap((list) => totalQueries(list, { from: allMonths, to: allMonths }))) {
    for await (const page of queryPages(query)) {
      for (const part of page.map(counters.decode)) companies.add(companyOf(part));
    }
  }
  return [...companies].sort((one, other) => one - other);
}
