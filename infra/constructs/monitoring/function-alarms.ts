import { type FunctionName, functions } from "../../functions/functions.ts";
import { type AlarmRow, awsMetric, type MonitoredResources, ownMetric } from "./alarm-row.ts";

/**
 * One alarm per function, on the metric that its failures show in. An endpoint answers a fault with a 5xx, which is no
 * error to Lambda: the service counts it itself, timeouts among them. Where an endpoint's process dies, API Gateway answers,
 * and the alarm on all 5xx rings. A worker that throws, runs too long or dies is an error to Lambda; what it fails on item
 * by item ends in a queue of its own, and that has an alarm.
 */
export function functionAlarms({ functions: all }: MonitoredResources, namespace: string): AlarmRow[] {
  return [...all.keys()].map((name) =>
    functions[name].area === "workers" ? workerAlarm(name, all) : endpointAlarm(name, namespace),
  );
}

/** One fault may be a moment's; three are a user's who tried again, or several users'. */
function endpointAlarm(name: FunctionName, namespace: string): AlarmRow {
  return {
    id: `${name}-faults`,
    metric: ownMetric(namespace, "Faults", { operation: name }, { statistic: "Sum", minutes: 15 }),
    threshold: 3,
    treatMissingData: "notBreaching",
    impact: functions[name].impact,
    heading: "An operation fails",
  };
}

function workerAlarm(name: FunctionName, all: MonitoredResources["functions"]): AlarmRow {
  const FunctionName = all.get(name)?.functionName ?? "";
  return {
    id: `${name}-errors`,
    metric: awsMetric("Lambda Errors", { FunctionName }, { statistic: "Sum", minutes: 15 }),
    threshold: 1,
    treatMissingData: "notBreaching",
    impact: functions[name].impact,
    heading: "A worker fails",
  };
}
