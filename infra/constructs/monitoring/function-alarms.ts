import { rowOf } from "../../functions/service-table.ts";
import { type AlarmRow, awsMetric, type MonitoredResources, ownMetric } from "./alarm-row.ts";

/**
 * The alarm of a function, on the metric that shows its failures. An endpoint answers a fault with a 5xx, which is no
 * error to Lambda, so the service counts faults itself, timeouts included. If an endpoint's process dies, API Gateway
 * answers, and the alarm on all 5xx fires. A worker that throws, times out or dies is an error to Lambda. Items that a
 * worker fails on end in a queue that has an alarm of its own.
 */
export function functionAlarm(name: string, { service, functions }: MonitoredResources, namespace: string): AlarmRow {
  const { area, impact, pages } = rowOf(service, name);
  const look = { statistic: "Sum", minutes: 15 } as const;
  if (area === "workers") {
    const metric = awsMetric("Lambda Errors", { FunctionName: functions.get(name) ?? "" }, look);
    return {
      id: `${name}-errors`,
      metric,
      threshold: 1,
      impact,
      heading: "A worker fails",
      ...(pages && { severity: "page" }),
    };
  }
  const metric = ownMetric(namespace, "Faults", { operation: name }, look);
  return {
    id: `${name}-faults`,
    metric,
    threshold: 3,
    because: "A single fault may be transient; three mean a user who retried, or several users.",
    impact,
    heading: "An operation fails",
    ...(pages && { severity: "page" }),
  };
}
