import { copiesKept } from "../../../infra/constructs/stores/table-backups.ts";
import { findStage } from "../../../infra/stages/stages.ts";
import type { Template, TemplateResource } from "../../../infra/support/stack-template.ts";
import {
  accessLogBytes,
  answerBytes,
  assumedMilliseconds,
  callsPerEnvironment,
  callsPerUser,
  cancelledShare,
  changesPerUser,
  emptyReceivesPerQueue,
  environmentMinutes,
  eventsOutPerChange,
  eventsPerChange,
  metricsPerMapping,
  minutesBetweenReads,
  queueRequestsPerMessage,
  startMilliseconds,
  unitsPerTransaction,
} from "./assumptions.ts";
import { prices } from "./prices.ts";
import type { StoredBytes } from "./stored-bytes.ts";

const million = 1e6;

/** The costs of a month of what so many users have stored: of prod, in US dollars. */
export function storedRows(users: number, { base, indexes }: StoredBytes): Record<string, number> {
  const gigabytes = (bytes: number) => (users * bytes) / 1e9;
  return {
    storage: gigabytes(base + indexes) * prices.storagePerGigabyteMonth,
    "point-in-time recovery": gigabytes(base) * prices.recoveryPerGigabyteMonth,
    backups: gigabytes(base) * copiesKept(findStage("prod")) * prices.backupPerGigabyteMonth,
  };
}

/** The costs of a month of what calls bring with them: starts, reads of secrets, the access log, and data to the internet. */
export function costOfTraffic(users: number): number {
  const calls = users * Object.values(callsPerUser).reduce((sum, times) => sum + times, 0);
  const starts = calls / callsPerEnvironment;
  return (
    ((calls * answerBytes) / 1e9) * prices.dataOutPerGigabyte +
    ((calls * accessLogBytes) / 1e9) * prices.logsPerGigabyte +
    starts * (startMilliseconds / 1000) * 0.5 * prices.lambdaPerGigabyteSecond +
    ((starts * environmentMinutes) / minutesBetweenReads / million) * prices.secretReadsPerMillion
  );
}

/** The costs of a month of changes beside what their functions take: events in and out, and transactions written twice. */
export function costOfChanges(users: number): number {
  const changes = users * changesPerUser;
  // What a transaction wrote before it met another on the same item is paid for, and written again.
  const cancelled = ((changes * cancelledShare * unitsPerTransaction) / million) * prices.writeUnitsPerMillion;
  const eventsIn = ((changes * eventsPerChange) / million) * prices.eventsPerMillion;
  return cancelled + eventsIn + changes * eventsOutPerChange * eventOut();
}

/** The costs of an event that goes out alone: its message, the function's call, and the bus. */
function eventOut(): number {
  const gigabyteSeconds = (assumedMilliseconds("send-events", 0) / 1_000) * 0.5;
  const perMillion =
    queueRequestsPerMessage * prices.queueRequestsPerMillion + prices.lambdaPerMillion + prices.eventsPerMillion;
  return perMillion / million + gigabyteSeconds * prices.lambdaPerGigabyteSecond;
}

/** The costs of the check of a stage from outside, beside its calls: a stack with an alarm and the key of its topic. */
export function outsideCheck(): number {
  const { healthCheckPerMonth, healthCheckOverTlsPerMonth, alarmMetricPerMonth, keyPerMonth } = prices;
  return healthCheckPerMonth + healthCheckOverTlsPerMonth + alarmMetricPerMonth + keyPerMonth;
}

/** The costs of a stage that nobody uses. */
export function fixedRows({ Resources }: Template): Record<string, number> {
  const resources = Object.values(Resources);
  const types = resources.map(({ Type }) => Type);
  const count = (type: string) => types.filter((each) => each === type).length;
  return {
    secrets: count("AWS::SecretsManager::Secret") * prices.secretPerMonth,
    alarms:
      alarmMetrics(resources) * prices.alarmMetricPerMonth +
      count("AWS::CloudWatch::CompositeAlarm") * prices.compositeAlarmPerMonth,
    dashboards: count("AWS::CloudWatch::Dashboard") * prices.dashboardPerMonth,
    "encryption keys": count("AWS::KMS::Key") * prices.keyPerMonth,
    "polling of empty queues":
      ((types.filter((type) => type === "AWS::Lambda::EventSourceMapping").length * emptyReceivesPerQueue) / million) *
      prices.queueRequestsPerMillion,
    "counts of what is polled":
      resources.filter(({ Properties }) => Properties?.MetricsConfig !== undefined).length *
      metricsPerMapping *
      prices.metricPerMonth,
  };
}

/** AWS bills an alarm by the metrics that it reads: one, or those of its expression. */
function alarmMetrics(resources: readonly TemplateResource[]): number {
  const alarms = resources.filter(({ Type }) => Type === "AWS::CloudWatch::Alarm");
  return alarms.reduce((sum, { Properties }) => {
    const metrics = (Properties?.Metrics ?? []) as readonly { readonly MetricStat?: object }[];
    return sum + Math.max(1, metrics.filter(({ MetricStat }) => MetricStat !== undefined).length);
  }, 0);
}
