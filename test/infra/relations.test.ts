import { describe, expect, test } from "vitest";
import { timeoutSecondsOf } from "../../infra/constructs/compute/service-function.ts";
import { type FunctionName, functions } from "../../infra/functions/functions.ts";
import { root } from "../../infra/local/stack/synthesis.ts";
import { sourceFigures } from "../../infra/tools/docs/figures/figures-page.ts";
import { operations } from "../../shared/contract/operations.ts";
import { pauseAfter, triedForMs } from "../../shared/domain/webhooks/pauses.ts";
import { type Resource, stackOf } from "./stack.ts";

const { all, functions: deployed } = stackOf("full");
const constants = sourceFigures(root);
const msOf = { Ms: 1, Milliseconds: 1, Seconds: 1_000, Minutes: 60_000, Hours: 3_600_000, Days: 86_400_000 };
const [hour, day] = [3_600_000, 86_400_000];
const mostWrites = "transaction.ts maxTransactionWrites";
const proofMs = "reset-token.ts resetTokenProvesMinutes";
const longestPauseMs = ms("pauses.ts longestSeconds");
/** HTTP caches and environments keep the key set one after the other. */
const cachedMs = ms("service.ts cacheSeconds") + ms("key-set.ts cacheMinutes");
const tokenMs = ms("issue-tokens.ts accessTokenLifeMinutes") + ms("key-set.ts cacheMinutes");

const queues = new Map(all("AWS::SQS::Queue").map((each) => [each.id, each.properties]));
const mappings = all("AWS::Lambda::EventSourceMapping").map(({ properties }) => {
  const [source] = properties.EventSourceArn["Fn::GetAtt"];
  const worker = [...deployed().values()].find(({ id }) => id === properties.FunctionName.Ref);
  return { properties, queue: queues.get(source), worker: worker?.properties ?? {} };
});
const consumed = mappings.flatMap(({ queue, ...each }) => (queue ? [{ queue, ...each }] : []));
const alarmOf = (id: string) =>
  all("AWS::CloudWatch::Alarm").find(({ properties }) => properties.AlarmName === `Workforce-full-${id}`)?.properties ??
  {};

describe("a constant and what it depends on", () => {
  test.each<[string, number | string, number | string]>([
    ["a pin lives longer than a page about late ones takes", latestMs("pins-late"), "rules.ts pinRules.lifeMinutes"],
    ["a queue keeps a pin for as long as it lives", "rules.ts pinRules.lifeMinutes", retentionOf("PinsQueue")],
    ["a worker has ended before its hold on a pin", timeoutOf("deliver-pin"), "pins.ts heldMs"],
    ["a worker has ended before its lease of a pin", timeoutOf("deliver-pin"), "sendings.ts leaseSeconds"],
    ["a worker has ended before that of a notice", timeoutOf("notify-password-changed"), "sendings.ts leaseSeconds"],
    ["sendings outlast their queues", retentionOf("NoticesQueue"), "sendings.ts rememberedDays"],
    ["deliveries outlast queue and dead letters", 18 * day, "notification-delivery.ts rememberedDays"],
    ["changes outlast dead letters", retentionOf("NotificationsDeadLetters") + day, "changes.ts keptDays"],
    ["a change outlasts the time to undo it", "changes.ts validMs", ms("changes.ts keptDays") - day],
    ["a tombstone outlasts dead letters", retentionOf("IntakeDeadLetters"), "record-plans.ts tombstoneDays"],
    ["a tombstone is found a day longer", ms("record-plans.ts tombstoneDays") + day, "record-plans.ts keptDays"],
    ["an export goes back as far as schedules run", timeoutOf("mark-overdue"), "changed-since.ts scheduleMs"],
    ["an export goes back as far as workers run", timeoutOf("intake"), "changed-since.ts writeMs"],
    ["a key outlasts the tokens and caches that know it", tokenMs, "rotation.ts publishedAfterMinutes"],
    ["a key is in every cache before it signs", cachedMs, "rotation.ts publishedAheadMinutes"],
    ["a secret is known before it signs", "secrets.ts cacheMinutes", "keys.ts knownAheadMs"],
    ["a session proves its client beyond its end", "refresh-token.ts refreshTokenLifeDays", "sessions.ts provesDays"],
    ["a reset token proves for longer than it counts", "reset-token.ts resetTokenLifeMinutes", proofMs],
    ["the client keeps a proof for as long as it counts", "client.ts resetTokenProvesMs", proofMs],
    ["counts of a day outlast it on every clock", 2, "windows.ts keptDays.day"],
    ["counts of an hour outlast it", hour, day * value("windows.ts keptDays.hour")],
    ["a login's messages of a day outlast it", 2 * day, "pins.ts keepDays"],
    ["a stage's messages of a day outlast it", 2 * day, "message-ceilings.ts keepDays"],
    ["webhooks are late after three pauses", 3 * longestPauseMs, 1_000 * thresholdOf("webhook-audit-late")],
    ["a webhook is silent for two pauses", 2 * longestPauseMs, "health.ts silentForMs"],
    ["an event of a webhook is given up before its queue drops it", triedForMs + day, retentionOf("webhook_audit")],
    ["a roll-back finds the versions of a canary", 5 * 60_000, "rollback.ts deployMilliseconds"],
    [
      "an hour of pins alarms before a day's are all long",
      24 * thresholdOf("pin-failures"),
      "rules.ts rules.wrongPins.most",
    ],
    ["users of a delivery fit", 3 * value("notification-delivery.ts usersPerTransaction") + 1, mostWrites],
    ["a person's items fit, two writes each", 2 * value("user-removal.ts chunkSize"), mostWrites],
    [
      "a bulk change and its undo fit",
      value("values.ts mostBulkIds") + value("transaction-limits.ts changeItems"),
      mostWrites,
    ],
    ["events fit into a call of the bus", "event-queue.ts mostEvents", "queue.ts maxBatchMessages"],
  ])("%s", (_, smaller, larger) => expect(sizeOf(smaller)).toBeLessThanOrEqual(sizeOf(larger)));

  test("the shares of a day's messages alarm where a client's further messages are held back", () => {
    const shares = constants.find(({ name }) => name === "messageShares")?.values;
    for (const id of ["sms-share", "mail-share"]) expect(thresholdOf(id)).toBe(100 * Number(shares?.further));
  });
});

describe("queues", () => {
  test("hide a message at least six times as long as its worker may run", () => {
    for (const { queue, worker } of consumed)
      expect(queue.VisibilityTimeout, queue.QueueName).toBeGreaterThanOrEqual(6 * worker.Timeout);
  });

  test("keep a message for longer than all of its tries take, and alarm before half of the time is over", () => {
    for (const { queue, properties } of consumed) {
      const { MessageRetentionPeriod, VisibilityTimeout, RedrivePolicy } = queue;
      const { maxReceiveCount, deadLetterTargetArn } = RedrivePolicy;
      const id = properties.EventSourceArn["Fn::GetAtt"][0];
      expect(MessageRetentionPeriod, id).toBeGreaterThan(maxReceiveCount * VisibilityTimeout);
      const alarms = all("AWS::CloudWatch::Alarm").filter(({ properties: { MetricName, Dimensions } }) => {
        return MetricName === "ApproximateAgeOfOldestMessage" && Dimensions[0].Value["Fn::GetAtt"][0] === id;
      });
      expect(alarms, id).toHaveLength(1);
      for (const alarm of alarms) expect(latestSeconds(alarm), id).toBeLessThan(MessageRetentionPeriod / 2);
      // The time in the queue counts for the dead letters, too.
      const deadLetters = queues.get(deadLetterTargetArn["Fn::GetAtt"][0]);
      expect(deadLetters?.MessageRetentionPeriod, id).toBeGreaterThanOrEqual(MessageRetentionPeriod);
    }
    expect(consumed.length).toBeGreaterThan(7);
  });

  test("have a worker that is called no oftener at once than is reserved for it: a throttled call counts as a try", () => {
    const reserved = consumed.filter(({ worker }) => worker.ReservedConcurrentExecutions !== undefined);
    for (const { worker } of reserved) {
      const own = reserved.filter((each) => each.worker === worker);
      const calls = own.reduce((sum, { properties }) => sum + properties.ScalingConfig.MaximumConcurrency, 0);
      expect(calls, worker.FunctionName).toBe(worker.ReservedConcurrentExecutions);
    }
    expect(reserved.length).toBeGreaterThan(2);
  });

  test("of webhooks are tried as often as a day of the shortest pauses has attempts", () => {
    let [attempts, waited] = [0, 0];
    while (waited < triedForMs / 1_000) {
      attempts += 1;
      waited += pauseAfter({ received: attempts, retryAfter: undefined }, new Date(), 0);
    }
    for (const [, { RedrivePolicy, QueueName }] of queues) {
      if (/webhook_\w+$/.test(String(QueueName)) && RedrivePolicy)
        expect(RedrivePolicy.maxReceiveCount).toBeGreaterThan(attempts);
    }
  });
});

test("a consumer of the stream is paged about within an hour, and tried for at most half of the 24 hours that the stream keeps", () => {
  const consumers = mappings.filter(({ queue }) => !queue);
  for (const { properties, worker } of consumers) {
    expect(properties.MaximumRecordAgeInSeconds * 1_000).toBeLessThanOrEqual(12 * hour);
    const id = String(worker.FunctionName).replace("workforce-full-", "");
    expect(latestMs(`${id}-behind`), id).toBeLessThan(hour);
  }
  expect(consumers.length).toBeGreaterThan(0);
});

test("every operation ends before API Gateway gives it up, and the client waits for as long", () => {
  for (const { name } of operations) expect(timeoutOf(name as FunctionName), name).toBeLessThan(30_000);
  expect(ms("client.ts defaultTimeoutMs")).toBeGreaterThanOrEqual(30_000);
});

/** A constant's number, such as `pins.ts heldMs` or `rules.ts pinRules.lifeMinutes`. */
function value(of: string): number {
  const [found, ...others] = constants.flatMap(({ file, name, values }) =>
    Object.entries(values)
      .filter(([key]) => `${file.split("/").at(-1)} ${name}${key && `.${key}`}` === of)
      .map(([, each]) => each),
  );
  if (typeof found !== "number" || others.length > 0) throw new Error(`There is no one figure ${of}`);
  return found;
}

/** A constant's time in milliseconds, by the unit that its name ends in. */
function ms(of: string): number {
  const [, factor] = Object.entries(msOf).find(([unit]) => of.endsWith(unit)) ?? [];
  if (factor === undefined) throw new Error(`${of} has no unit`);
  return factor * value(of);
}

function sizeOf(figure: number | string): number {
  if (typeof figure === "number") return figure;
  return Object.keys(msOf).some((unit) => figure.endsWith(unit)) ? ms(figure) : value(figure);
}

function thresholdOf(alarm: string): number {
  return Number(alarmOf(alarm).Threshold);
}

/** The age that messages or records have when the alarm fires. */
function latestMs(alarm: string): number {
  const { Threshold, MetricName, Period, EvaluationPeriods } = alarmOf(alarm);
  return Threshold * (MetricName === "IteratorAge" ? 1 : 1_000) + Period * EvaluationPeriods * 1_000;
}

function latestSeconds({ properties: { Threshold, Period, EvaluationPeriods } }: Resource): number {
  return Threshold + Period * EvaluationPeriods;
}

function retentionOf(name: string): number {
  const [, found] =
    [...queues].find(([id, { QueueName = "" }]) => id.startsWith(name) || QueueName.endsWith(name)) ?? [];
  return Number(found?.MessageRetentionPeriod) * 1_000;
}

function timeoutOf(name: FunctionName): number {
  return timeoutSecondsOf(functions[name]) * 1_000;
}
