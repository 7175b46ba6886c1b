import { AsyncLocalStorage } from "node:async_hooks";
import { settings } from "./settings.ts";

/** A piece of work: a request, a message of a queue, a change of the table, or a batch of changes. Its log lines carry all of it. */
export interface Work {
  readonly operation: string;
  /** Id of the request that it follows from: API Gateway's, or what represents it where no request began it; never a client's. */
  readonly request_id?: string | undefined;
  /** Ids of the requests that a batch follows from, where they are several. */
  readonly request_ids?: readonly string[] | undefined;
  readonly message_id?: string | undefined;
  /** The number of times that the message was received, from the second time on. */
  readonly attempt?: number | undefined;
}

/** The kinds of messages that leave the service, or a queue's sender, during its work. */
export type Sent = "emails" | "sms" | "pushes" | "events" | "queued";

interface Current {
  readonly work: Work;
  readonly sent: Partial<Record<Sent, number>>;
}

const current = new AsyncLocalStorage<Current>();

/** Milliseconds since the process began, monotonic. Node.js loads the module of `performance` at its first use: 1 % of a start. */
export function uptimeMs(): number {
  return process.uptime() * 1000;
}

/** Runs a piece of work: whatever it awaits, logs and sends belongs to it. */
export function carryOut<T>(work: Work, run: () => T): T {
  return current.run({ work, sent: {} }, run);
}

/** The work under way; undefined where there is none, as while an environment starts and in tools. */
export function currentWork(): Work | undefined {
  return current.getStore()?.work;
}

/** Counts what the work under way has sent. */
export function noteSent(kind: Sent, amount = 1): void {
  const { sent } = current.getStore() ?? {};
  if (sent) sent[kind] = (sent[kind] ?? 0) + amount;
}

/** The numbers of messages that the work under way has sent so far. */
export function sentSoFar(): Readonly<Partial<Record<Sent, number>>> {
  return current.getStore()?.sent ?? {};
}

/** Values allowed in a log line: ids, codes and figures; never a login, name, token, pin or whole object. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | undefined | readonly (string | number)[]>
>;

/** The level of a line, in Lambda's words for filters. */
type LogLevel = "info" | "warn" | "error";

/**
 * Writes one line of JSON, with the current work and the build of the running code. An error, and an answer with a 5xx, says
 * what people cannot do.
 */
export function log(level: LogLevel, message: string, fields: LogFields = {}): void {
  const place = { operation: settings.operationIfAny(), build: settings.build() };
  const impact = level === "error" || Number(fields.status) >= 500 ? settings.impact() : undefined;
  const line = { level, message, timestamp: new Date().toISOString(), ...place, ...currentWork(), ...fields, impact };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/**
 * The loggable parts of an error: its name and its stack without the message. The message is included only for plain
 * errors, whose texts the service or the language writes. Messages of parsers and of AWS quote their input.
 */
export function faultFields(thrown: unknown): LogFields {
  if (!(thrown instanceof Error)) return { error: typeof thrown };
  const frames = thrown.stack?.split("\n").filter((line) => line.startsWith("    at "));
  return { error: thrown.name, code: codeOf(thrown), error_message: ownWords(thrown), stack: frames?.join("\n") };
}

/** The stable code of one of the service's own errors. */
function codeOf(thrown: Error): string | undefined {
  const code = "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" && /^[a-z_]+$/.test(code) ? code : undefined;
}

function ownWords({ name, message }: Error): string | undefined {
  return ["Error", "TypeError", "RangeError", "ReferenceError"].includes(name) ? message : undefined;
}

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

let milliseconds: number | undefined;

/**
 * Records that the environment is ready, and the time since its process began: code and priming together. Outside
 * Lambda a process has several environments, so nothing is recorded.
 */
export function noteStart(): void {
  if (settings.isStartedByLambda()) milliseconds = Math.round(uptimeMs());
}

/** The start time of the environment in milliseconds, for its first call only; undefined later. */
export function takeStartMilliseconds(): number | undefined {
  const startMilliseconds = milliseconds;
  milliseconds = undefined;
  return startMilliseconds;
}
