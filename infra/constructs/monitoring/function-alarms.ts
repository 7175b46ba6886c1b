import { Duration } from "aws-cdk-lib";
import { MathExpression, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { FunctionRow } from "../../functions/function-row.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { type AlarmRow, functionMetric, type MonitoredResources, ownMetric, percentOf, sumOf } from "./alarm-row.ts";

const headings = { operation: "An operation fails", worker: "A worker fails" };
/** Percent of a function's calls. A page must not come of the few faults that any million of calls has. */
const failing = 0.5;
/** A single fault may be transient; three mean a user who retried, or several users. */
const leastFaults = 3;
/** A queue tries a message again: one call that died pages nobody. */
const leastErrors = 2;
const look = { statistic: "Sum", minutes: 15 } as const;

/**
 * Alarms on functions that fail: one for each that pages, one for all operations, and one for the other workers. An endpoint
 * answers a fault with a 5xx, which is no error to Lambda, so the service counts faults itself, timeouts included. If an
 * endpoint's process dies, API Gateway answers, and the alarm on all 5xx fires. A worker that throws, times out or dies is an
 * error to Lambda. Items that a worker fails on end in a queue that has an alarm of its own.
 */
export function functionAlarms({ functions, stage }: MonitoredResources): AlarmRow[] {
  const rows = [...functions].map(([name, { row }]) => ({ name, row }));
  const others = rows.filter(({ row }) => isWorker(row) && !row.pages).map(({ name }) => name);
  return [
    ...rows.filter(({ row }) => row.pages).map(({ name, row }) => pagingAlarm(name, row, stage)),
    operationsAlarm(stage),
    workersAlarm(others, stage),
  ];
}

function isWorker({ area }: FunctionRow): boolean {
  return area === "workers";
}

function pagingAlarm(name: string, row: FunctionRow, stage: Stage): AlarmRow {
  const ofLambda = (metric: string) => functionMetric(stage, name, metric, look);
  const faults = ownMetric(stage, "Faults", { operation: name }, look);
  const { id, part, least, heading } = isWorker(row)
    ? { id: `${name}-errors`, part: ofLambda("Errors"), least: leastErrors, heading: headings.worker }
    : { id: `${name}-faults`, part: faults, least: leastFaults, heading: headings.operation };
  const share = { part: [part], whole: [ofLambda("Invocations")], least };
  return {
    id,
    metric: percentOf({ ...share, label: `Calls of ${name} that fail, percent` }),
    threshold: failing,
    because: "In percent, from a least number on: a single fault may be transient, more are of one user or several.",
    severity: "page",
    // A table that fails would otherwise page once more for each function.
    silentDuring: "table-fails",
    impact: row.impact,
    heading,
  };
}

/** `busy` counts: an operation that is throttled or contended alone has no other alarm. */
function operationsAlarm(stage: Stage): AlarmRow {
  return {
    id: "operation-faults",
    metric: ownMetric(stage, "Faults", {}, look),
    threshold: leastFaults,
    because:
      "A number, as in a share an operation that few use would vanish among all calls. A single fault may be transient; three are of one user or several.",
    impact: "Some users cannot do what an operation is for: the dashboard's table says which, and what that is.",
    heading: headings.operation,
  };
}

function workersAlarm(workers: readonly string[], stage: Stage): AlarmRow {
  const errors = workers.map((name) => functionMetric(stage, name, "Errors", look));
  return {
    id: "worker-errors",
    metric: new MathExpression({ ...sumOf("part", errors), period: Duration.minutes(look.minutes) }),
    threshold: 1,
    impact:
      "What follows from changes may come late: the dashboard's table says which worker fails, and what that means.",
    heading: headings.worker,
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
