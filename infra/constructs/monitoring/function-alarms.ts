import { rowOf } from "../../functions/service-table.ts";
import { type AlarmRow, awsMetric, type MonitoredResources, ownMetric } from "./alarm-row.ts";

/** What the alarms of functions are made from. */
type Watched = Pick<MonitoredResources, "service" | "functions">;

/**
 * The alarm of a function, on the metric that its failures show in. An endpoint answers a fault with a 5xx, which is no
 * error to Lambda: the service counts it itself, timeouts among them. Where an endpoint's process dies, API Gateway answers,
 * and the alarm on all 5xx fires. A worker that throws, runs too long or dies is an error to Lambda; what it fails on item
 * by item ends in a queue of its own, and that has an alarm.
 */
export function functionAlarm(name: string, watched: Watched, namespace: string): AlarmRow {
  const isWorker = rowOf(watched.service, name).area === "workers";
  return isWorker ? workerAlarm(name, watched) : endpointAlarm(name, watched, namespace);
}

/** A single fault may be transient; three mean a user who retried, or several users. */
function endpointAlarm(name: string, { service }: Watched, namespace: string): AlarmRow {
  return {
    id: `${name}-faults`,
    metric: ownMetric(namespace, "Faults", { operation: name }, { statistic: "Sum", minutes: 15 }),
    threshold: 3,
    treatMissingData: "notBreaching",
    impact: rowOf(service, name).impact,
    heading: "An operation fails",
  };
}

function workerAlarm(name: string, { service, functions }: Watched): AlarmRow {
  const FunctionName = functions.get(name) ?? "";
  return {
    id: `${name}-errors`,
    metric: awsMetric("Lambda Errors", { FunctionName }, { statistic: "Sum", minutes: 15 }),
    threshold: 1,
    treatMissingData: "notBreaching",
    impact: rowOf(service, name).impact,
    heading: "A worker fails",
  };
}
