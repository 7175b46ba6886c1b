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

const latestCall = { periods: 26, because: "A day, and two hours for a call that comes late." };
const latestFigure = { periods: 48, because: "One night may lack its figure: a run that is out of time leaves none." };

/** Alarms on what is done once a day: that it was done, and what it found. */
export function dailyAlarms({ functions, stage }: MonitoredResources): AlarmRow[] {
  const differences = (statistic: "Maximum" | "SampleCount") =>
    ownMetric(stage, "CounterDifferences", {}, { statistic, minutes: 60 });
  const calls = (name: string) => functionMetric(stage, name, "Invocations", { statistic: "Sum", minutes: 60 });
  // A run that ends is one with a figure; one that runs out of time is none.
  const runs = (name: string) =>
    name === "recount-lists"
      ? { metric: differences("SampleCount"), ...latestFigure }
      : { metric: calls(name), ...latestCall };
  const notRun = (name: string, impact: string): AlarmRow => ({
    id: `${name}-not-run`,
    ...runs(name),
    threshold: 1,
    isBelow: true,
    treatMissingData: TreatMissingData.BREACHING,
    impact,
    heading: "Daily work has not run",
  });
  return [
    ...[...functions].flatMap(([name, { row }]) => (row.daily ? [notRun(name, row.impact)] : [])),
    {
      // A figure stands until the next night's.
      id: "counters-differ",
      metric: differences("Maximum"),
      threshold: 1,
      treatMissingData: TreatMissingData.IGNORE,
      impact: "Some lists show a wrong total, or leave records out of a range of dates.",
      heading: "Counters differ",
    },
  ];
}
