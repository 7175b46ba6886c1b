import { tableIndexes } from "../../functions/function-row.ts";
import { type AlarmRow, awsMetric, type MonitoredResources, ownMetric } from "./alarm-row.ts";

const slowMilliseconds = 3_000;
const repeated = { threshold: 10, because: "The SDK repeats a few unnoticed." };
/**
 * Nearly every request reads by one of the first three and writes by one of the others. The dashboard shows all
 * actions.
 */
const throttledActions = ["GetItem", "TransactGetItems", "Query", "UpdateItem", "TransactWriteItems"];
const failingActions = ["GetItem", "TransactGetItems", "TransactWriteItems"];

/** Alarms on the parts that all requests use: API Gateway, Lambda's concurrency, and the table. */
export function apiAlarms({ apiId: ApiId, tableName: TableName }: MonitoredResources, namespace: string): AlarmRow[] {
  const five = { statistic: "Sum", minutes: 5 } as const;
  return [
    {
      id: "api-5xx",
      metric: awsMetric("ApiGateway 5xx", { ApiId }, five),
      threshold: 5,
      because: "Fewer may be a single user who tries again.",
      severity: "page",
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
      metric: awsMetric("Lambda Throttles", {}, five),
      threshold: 10,
      because: "Clients and queues repeat a few unnoticed.",
      severity: "page",
      impact: "Some requests are refused with 503, and workers are late, as the account has no more concurrency.",
      heading: "Functions are throttled",
    },
    ...throttledActions.map((Operation) => ({
      id: `table-throttles-${Operation}`,
      metric: awsMetric("DynamoDB ThrottledRequests", { TableName, Operation }, five),
      ...repeated,
      severity: "page" as const,
      impact: "Some requests are slow or fail with 503, and notifications come late.",
      heading: "The table throttles",
    })),
    ...tableIndexes.map((GlobalSecondaryIndexName) => ({
      id: `table-throttles-${GlobalSecondaryIndexName}`,
      metric: awsMetric("DynamoDB WriteThrottleEvents", { TableName, GlobalSecondaryIndexName }, five),
      ...repeated,
      severity: "page" as const,
      impact: "Some changes are refused with 503: a key of an index takes no more, and blocks the whole table.",
      heading: "The table throttles",
    })),
    {
      id: "counters-below-zero",
      metric: ownMetric(namespace, "CountersBelowZero", {}, five),
      threshold: 1,
      impact: "The lists of a company show a wrong total, or leave records out of a range of dates.",
      heading: "Counters are below zero",
    },
    {
      id: "events-dropped",
      metric: awsMetric("Lambda AsyncEventsDropped", {}, five),
      threshold: 1,
      impact: "Users lose nothing yet, but a daily call was given up: what it does is not done today.",
      heading: "Lambda drops calls",
    },
    {
      id: "loops-stopped",
      metric: awsMetric("Lambda RecursiveInvocationsDropped", {}, five),
      threshold: 1,
      impact: "Some users are not notified: Lambda took a chain of calls for an endless one and stopped it.",
      heading: "Lambda drops calls",
    },
    ...failingActions.map((Operation) => ({
      id: `table-fails-${Operation}`,
      metric: awsMetric("DynamoDB SystemErrors", { TableName, Operation }, five),
      ...repeated,
      severity: "page" as const,
      impact: "Some requests fail, whatever users try: DynamoDB itself has faults.",
      heading: "The table fails",
    })),
  ];
}
