import { TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { FunctionRow } from "../../functions/function-row.ts";
import type { Stage } from "../../stages/stages.ts";
import { type AlarmRow, functionMetric, type MonitoredResources, ownMetric, percentOf } from "./alarm-row.ts";

/** Percent of a function's calls. A page must not come of the few faults that any million of calls has. */
const failing = { pages: 0.5, waits: 0.1 };
/** A single fault may be transient; three mean a user who retried, or several users. */
const leastFaults = 3;
/** A queue tries a message again: one call that died pages nobody. */
const leastErrors = { pages: 2, waits: 1 };

/**
 * The alarm of a function, on the metric that shows its failures. An endpoint answers a fault with a 5xx, which is no
 * error to Lambda, so the service counts faults itself, timeouts included. If an endpoint's process dies, API Gateway
 * answers, and the alarm on all 5xx fires. A worker that throws, times out or dies is an error to Lambda. Items that a
 * worker fails on end in a queue that has an alarm of its own.
 */
export function functionAlarm(name: string, { area, impact, pages }: FunctionRow, stage: Stage): AlarmRow {
  const look = { statistic: "Sum", minutes: 15 } as const;
  const ofLambda = (metric: string) => functionMetric(stage, name, metric, look);
  const urgency = pages ? "pages" : "waits";
  const isWorker = area === "workers";
  const part = isWorker ? ofLambda("Errors") : ownMetric(stage, "Faults", { operation: name }, look);
  const least = isWorker ? leastErrors[urgency] : leastFaults;
  const share = { part: [part], whole: [ofLambda("Invocations")], least };
  return {
    id: `${name}-${isWorker ? "errors" : "faults"}`,
    metric: percentOf({ ...share, label: `Calls of ${name} that fail, percent` }),
    threshold: failing[urgency],
    because: "In percent, from a least number on: a single fault may be transient, more are of one user or several.",
    impact,
    heading: isWorker ? "A worker fails" : "An operation fails",
    ...(pages && { severity: "page" }),
  };
}

/** Alarms on what is done once a day: that it was done. */
export function dailyAlarms({ functions, stage }: MonitoredResources): AlarmRow[] {
  return [...functions].flatMap(([name, { row }]) => (row.daily ? [notRun(name, row, stage)] : []));
}

function notRun(name: string, { impact }: FunctionRow, stage: Stage): AlarmRow {
  return {
    id: `${name}-not-run`,
    metric: functionMetric(stage, name, "Invocations", { statistic: "Sum", minutes: 60 }),
    periods: 26,
    because: "A day, and two hours for a call that comes late.",
    threshold: 1,
    isBelow: true,
    treatMissingData: TreatMissingData.BREACHING,
    impact,
    heading: "Daily work has not run",
  };
}
