import { inParallel } from "../../shared/batches.ts";
import { companiesOfNight, findCountedCompanies } from "../../shared/db/lists/counted-companies.ts";
import { listNames } from "../../shared/db/lists/list-keys.ts";
import { describeDifference, recount } from "../../shared/db/lists/recount.ts";
import { log } from "../../shared/logger.ts";
import { count } from "../../shared/metrics.ts";
import { forSchedule } from "../../shared/workers/schedule-worker.ts";

/** After so long it begins no further list. The rest of its 15 minutes is for those that have begun. */
const beginsMs = 600_000;
/** Leaves most of what the table reads at once to users. */
const listsAtOnce = 4;
/** Most differences of a list in a log line; the line has their number. */
const shownDifferences = 10;

/** Compares the counters of the night's companies with their records, and reports how many differ. It repairs none. */
export const handler = forSchedule(async ({ now }) => {
  const startedAt = performance.now();
  const companies = companiesOfNight(await findCountedCompanies(), now);
  const lists = companies.flatMap((companyId) => listNames.map((list) => ({ list, companyId })));
  const shown: string[] = [];
  let [records, left] = [0, 0];
  await inParallel(lists, listsAtOnce, async (list) => {
    if (performance.now() - startedAt > beginsMs) {
      left += 1;
      return;
    }
    const found = await recount(list);
    records += found.records;
    shown.push(...found.differences.map(describeDifference));
  });
  const differences = shown.length;
  const facts = { companies: companies.length, records, differences, lists_left: left };
  // A run that did not end reports no figure. The alarm "Daily work has not run" goes off if figures are missing.
  if (left === 0 || differences > 0) count("CounterDifferences", {}, differences);
  if (differences === 0) log("info", "counters are compared", facts);
  else
    log("error", "counters differ", {
      ...facts,
      code: "counters_differ",
      shown: shown.slice(0, shownDifferences).join("; "),
    });
});
