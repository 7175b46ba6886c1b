import { Duration } from "aws-cdk-lib";
import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { tableIndexes } from "../../functions/function-row.ts";
import { queues } from "../../functions/queues.ts";
import { tableNameOf } from "../../stages/names.ts";
import {
  type AlarmRow,
  awsMetric,
  dailyFunctions,
  functionMetric,
  type MonitoredResources,
  ownMetric,
  percentOf,
  sumOf,
  worstPercentOf,
} from "./alarm-row.ts";

const slowMilliseconds = 3_000;
/** Of all answers, calls or units. One in two hundred is more than AWS's own faults ever are in health. */
const shareOfFaults = {
  threshold: 0.5,
  because: "In percent: AWS's own faults are less in health. A few are tried again unnoticed.",
  severity: "page",
} as const;
/** The DynamoDB actions that functions take. An alarm may add up ten metrics, two for each action. */
const actions = {
  reads: ["GetItem", "BatchGetItem", "Query", "TransactGetItems"],
  writes: ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"],
};
/** Lambda sees loops through queues alone. */
const queueWorkers = [...new Set(Object.values(queues).map(({ worker }) => worker))];
const failingActions = ["GetItem", "TransactGetItems", "TransactWriteItems"];

/** Alarms on the parts that all requests use: API Gateway, Lambda's concurrency, and the table. */
export function apiAlarms({ apiId: ApiId, functions, stage }: MonitoredResources): AlarmRow[] {
  const TableName = tableNameOf(stage);
  const five = { statistic: "Sum", minutes: 5 } as const;
  const lambda = (name: string) => awsMetric(`Lambda ${name}`, {}, five);
  const ofFunctions = (metric: string, names: readonly string[]) => {
    const present = names.filter((name) => functions.has(name));
    const summed = present.map((name) => functionMetric(stage, name, metric, five));
    return new MathExpression({ ...sumOf("part", summed), period: Duration.minutes(5) });
  };
  const table = (metric: string, Operation: string, statistic: "Sum" | "SampleCount" = "Sum") =>
    awsMetric(`DynamoDB ${metric}`, { TableName, Operation }, { statistic, minutes: 5 });
  const done = (Operation: string) => table("SuccessfulRequestLatency", Operation, "SampleCount");
  const index = (metric: string, GlobalSecondaryIndexName: string) =>
    awsMetric(`DynamoDB ${metric}`, { TableName, GlobalSecondaryIndexName }, five);
  return [
    {
      id: "api-5xx",
      metric: percentOf({
        part: [awsMetric("ApiGateway 5xx", { ApiId }, five)],
        whole: [awsMetric("ApiGateway Count", { ApiId }, five)],
        least: 5,
        label: "Answers that are 5xx, percent",
      }),
      ...shareOfFaults,
      impact: "Some requests fail, whatever users try: the answers are 5xx.",
      heading: "Many requests fail",
    },
    {
      id: "api-slow",
      metric: awsMetric("ApiGateway Latency", { ApiId }, { statistic: "p99", minutes: 5 }),
      threshold: slowMilliseconds,
      because: "Slower apps seem to hang; the cold starts after a release are over within three periods.",
      severity: "page",
      periods: 3,
      impact: "One request in a hundred takes more than 3 seconds: apps seem to hang.",
      heading: "Requests are slow",
    },
    {
      // Of the whole account and region, because concurrency is limited for the account.
      id: "functions-throttled",
      metric: percentOf({
        part: [lambda("Throttles")],
        whole: [lambda("Invocations")],
        least: 10,
        label: "Calls in this account and region that are throttled, percent",
      }),
      ...shareOfFaults,
      impact:
        "Some requests of this stage or of others in the account and region are refused with 503: no concurrency is left.",
      heading: "Functions are throttled",
    },
    ...Object.entries(actions).map(([kind, names]) => ({
      id: `table-throttles-${kind}`,
      metric: percentOf({
        part: names.map((each) => table("ThrottledRequests", each)),
        whole: names.map(done),
        least: 10,
        label: `Throttled ${kind} of the table, percent`,
      }),
      ...shareOfFaults,
      impact: "Some requests are slow or fail with 503, and notifications come late.",
      heading: "The table throttles",
    })),
    ...tableIndexes.map((name) => ({
      id: `table-throttles-${name}`,
      metric: percentOf({
        part: [index("WriteThrottleEvents", name)],
        whole: [index("ConsumedWriteCapacityUnits", name)],
        least: 10,
        label: `Throttled writes of ${name}, percent of units`,
      }),
      ...shareOfFaults,
      impact: "Some changes are refused with 503: a key of an index takes no more, and blocks the whole table.",
      heading: "The table throttles",
    })),
    {
      id: "counters-below-zero",
      metric: ownMetric(stage, "CountersBelowZero", {}, five),
      threshold: 1,
      impact: "The lists of a company show a wrong total, or leave records out of a range of dates.",
      heading: "Counters are below zero",
    },
    {
      id: "events-dropped",
      metric: ofFunctions("AsyncEventsDropped", dailyFunctions({ functions })),
      threshold: 1,
      impact: "Users lose nothing yet, but a daily call was given up: what it does is not done today.",
      heading: "Lambda drops calls",
    },
    {
      id: "loops-stopped",
      metric: ofFunctions("RecursiveInvocationsDropped", queueWorkers),
      threshold: 1,
      impact: "Some users are not notified: Lambda took a chain of calls for an endless one and stopped it.",
      heading: "Lambda drops calls",
    },
    {
      id: "table-fails",
      metric: worstPercentOf(
        failingActions.map((each) => ({ part: table("SystemErrors", each), whole: done(each) })),
        { least: 10, label: "Calls that DynamoDB fails, percent of the action's that it fails most" },
      ),
      ...shareOfFaults,
      impact: "Some requests fail, whatever users try: DynamoDB itself has faults.",
      heading: "The table fails",
    },
  ];
}
