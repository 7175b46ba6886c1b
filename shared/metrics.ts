import { settings } from "./settings.ts";

/**
 * The service's own metrics, and the dimensions of each. A metric costs money for each hour that it is sent in, and
 * once more for each value of a dimension: what no alarm or dashboard uses is not a metric.
 */
export const metrics = {
  /** Answers with a 5xx, and items of a queue or the table's stream that a worker failed on. */
  Faults: ["operation"],
  /** Answers with a 5xx, `busy` aside, of a function's numbered version: a release is judged by them. */
  VersionFaults: ["operation", "version"],
  /** Pins that were wrong, expired or spent when a login was to be confirmed. */
  PinFailures: [],
  /** Passcodes that were wrong. */
  PasscodeFailures: [],
  /** Refresh tokens that were spent a moment before and got their successor again (D5). */
  RefreshesRepeated: [],
  /** SMS that SNS has taken. */
  SmsSent: [],
  /** Recipients that SES or SNS refuses for good: no message reaches them. */
  RecipientsRefused: [],
  /** Devices that get no pushes any more: their push service refused the token, or SNS disabled the endpoint. */
  DevicesDropped: [],
  /** SMS that were not sent, as the stage's ceiling was reached. */
  SmsRefused: [],
  /** Events of another system whose version was not above the stored one: some come again or late, all mean a wrong clock. */
  StaleEvents: ["source"],
  /** Changes of the table that a consumer could not take. */
  StreamRecordsQuarantined: [],
  /** Webhooks that were disabled, as their receiver failed for days or is gone (D42). */
  WebhooksDisabled: [],
  /** Totals and search entries that are not what the records make them. */
  TotalsDrift: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Name of one of the service's own metrics. */
export type MetricName = keyof typeof metrics;

type Dimensions<M extends MetricName> = Readonly<Record<(typeof metrics)[M][number], string>>;

/** Adds to a metric: one line on standard output, in CloudWatch's embedded metric format. Dimensions never name a person. */
export function count<M extends MetricName>(metric: M, dimensions: Dimensions<M>, amount = 1): void {
  const directive = {
    Namespace: settings.metricNamespace(),
    Dimensions: [metrics[metric]],
    Metrics: [{ Name: metric, Unit: "Count" }],
  };
  const _aws = { Timestamp: Date.now(), CloudWatchMetrics: [directive] };
  process.stdout.write(`${JSON.stringify({ _aws, ...dimensions, [metric]: amount })}\n`);
}
