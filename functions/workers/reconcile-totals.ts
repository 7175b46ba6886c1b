import {
  isPart,
  localReading,
  type PartFindings,
  type ReadPart,
  readPart,
  readTable,
} from "../../shared/db/reconcile/read-parts.ts";
import {
  countDifferences,
  differencesOf,
  reconcileUntilStable,
} from "../../shared/db/reconcile/stable-reconciliation.ts";
import { log } from "../../shared/logger.ts";
import { count } from "../../shared/metrics.ts";
import { settings } from "../../shared/settings.ts";
import { callItself, toAnswer } from "../../shared/workers/own-calls.ts";
import { forSchedule } from "../../shared/workers/schedule-worker.ts";

/** Consumers of the stream that are further behind than this have an alarm of their own. */
const pauseMs = 30_000;
/** What is named of them is a thousandth of the table, far below the 6 MB of an answer. */
const mostSuspects = 64;
const shownDifferences = 10;

const callPart: ReadPart = (part) => callItself<PartFindings>(part);

/**
 * Counts all records and reports how many totals and search entries differ from them; repairs none. In Lambda it calls itself for
 * each part of the table, so that a part has a processor and memory of its own.
 */
export const handler = forSchedule(async (_, event) => {
  if (isPart(event)) return toAnswer(await readPart(event, () => {}));
  const reading = settings.ownFunction() === undefined ? localReading : { read: callPart };
  const look = (suspects: readonly number[]) => readTable({ suspects, isConsistent: false }, reading);
  const stable = await reconcileUntilStable({ look, pauseMs, mostSuspects });
  report(stable.found.records, countDifferences(stable), differencesOf(stable.found));
  return undefined;
});

function report(records: number, differences: number, named: readonly string[]): void {
  count("TotalsDrift", {}, differences);
  const shown = named.slice(0, shownDifferences).join("; ");
  if (differences === 0) log("info", "totals are exact", { records, differences });
  else log("error", "totals differ", { records, differences, code: "totals_drift", shown });
}
