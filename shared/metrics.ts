import { settings } from "./settings.ts";

/**
 * The service's own metrics, and the sets of dimensions of each. A metric costs money for each hour in which it is sent and for
 * each value of a dimension, so there is none without an alarm or graph.
 */
export const metrics = {
  /** Answers with a 5xx, by operation and of all of them. */
  Faults: [["operation"], []],
  /** Answers with a 5xx, except `busy`, by numbered version of a function. A canary release is judged by them. */
  VersionFaults: [["operation", "version"]],
  /** Answers with a 401 or 403, by numbered version of a function, and of all its versions. A canary release compares them. */
  VersionRefusals: [["operation", "version"]],
  Refusals: [["operation"]],
  /** Wrong, expired or used pins at the confirmation of a login. */
  PinFailures: [[]],
  /** Wrong passcodes. */
  PasscodeFailures: [[]],
  /** Spent refresh tokens that got their successor again, because they were spent a moment before (D5). */
  RefreshesRepeated: [[]],
  /** Refresh tokens with a number above the stored one: the table was restored to an earlier state (D5). */
  RefreshesAhead: [[]],
  /** SMS that SNS accepted. */
  SmsSent: [[]],
  /** Recipients that SES or SNS refuses for good. No message reaches them. */
  RecipientsRefused: [[]],
  /** Devices that get no more pushes: their push service refused the token, or SNS disabled the endpoint. */
  DevicesDropped: [[]],
  /** A login's first three SMS of a day, and SMS of registrations, that the stage's ceiling held back. */
  SmsRefused: [[]],
  /** The same of e-mails. */
  MailRefused: [[]],
  /** Messages of a login beyond its third of a day that the stage's ceiling held back, of both kinds. */
  FurtherMessagesRefused: [[]],
  /** Percent of the stage's SMS of the day that are used, at each one that is counted. */
  SmsShare: [[]],
  /** The same of e-mails. */
  MailShare: [[]],
  /**
   * Events of another system with a version not above the stored one. Some are repeated or late; if all are, its clock
   * is wrong.
   */
  StaleEvents: [["source"]],
  /** Stream records that a consumer gave up. */
  StreamRecordsQuarantined: [[]],
  /** Answers whose counters were below zero in two consistent reads. */
  CountersBelowZero: [[]],
} as const satisfies Readonly<Record<string, readonly (readonly string[])[]>>;

/** Name of one of the service's own metrics. */
export type MetricName = keyof typeof metrics;

/** The values of a metric's dimensions, of all that it is sent with. */
type Dimensions<M extends MetricName> = ValuesOf<(typeof metrics)[M][0]>;

/** The values by which a metric is found: those of one set of its dimensions. */
export type FoundBy<M extends MetricName> = ValuesOf<(typeof metrics)[M][number]>;

type ValuesOf<Names extends readonly string[]> = Names extends unknown
  ? Readonly<Record<Names[number], string>>
  : never;

/**
 * Adds to a metric: one line on standard output, in CloudWatch's embedded metric format. Dimensions never name a
 * person. Without a namespace nothing is counted.
 */
export function count<M extends MetricName>(metric: M, dimensions: Dimensions<M>, amount = 1): void {
  const Namespace = settings.metricNamespace();
  if (Namespace === undefined) return;
  const directive = {
    Namespace,
    Dimensions: metrics[metric],
    Metrics: [{ Name: metric, Unit: "Count" }],
  };
  const _aws = { Timestamp: Date.now(), CloudWatchMetrics: [directive] };
  process.stdout.write(`${JSON.stringify({ _aws, ...dimensions, [metric]: amount })}\n`);
}
