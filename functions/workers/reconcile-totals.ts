import { differencesOf, reconcileUntilStable } from "../../shared/db/reconcile/stable-reconciliation.ts";
import { log } from "../../shared/logger.ts";
import { count } from "../../shared/metrics.ts";
import { forSchedule } from "../../shared/workers/schedule-worker.ts";

/** Consumers of the stream that are further behind than this have an alarm of their own. */
const pauseMs = 30_000;
/** Those that end in time with a table of some gigabytes. */
const maxRounds = 3;
const shownDifferences = 10;

/** Counts all records and reports how many totals and search entries differ from them; repairs none. */
export const handler = forSchedule(async () => {
  const { last } = await reconcileUntilStable({ isConsistent: false, pauseMs, maxRounds });
  const differences = differencesOf(last);
  count("TotalsDrift", {}, differences.length);
  const found = { records: last.records, differences: differences.length };
  if (differences.length === 0) return log("info", "totals are exact", found);
  const shown = differences.slice(0, shownDifferences).join("; ");
  log("error", "totals differ", { ...found, code: "totals_drift", shown });
});
