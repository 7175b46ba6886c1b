import { describe, expect, test } from "vitest";
import { timeoutSecondsOf } from "../../infra/constructs/compute/service-function.ts";
import { type FunctionName, functions } from "../../infra/functions/functions.ts";
import { operations } from "../../shared/contract/operations.ts";
import { guessing, limits, lives, waits } from "./source-figures.ts";
import { type Resource, stackOf } from "./stack.ts";

const { all, functions: deployed } = stackOf("full");
const figures = { ...limits, ...lives, ...waits };
type Figure = keyof typeof figures;
const msOf = { Ms: 1, Milliseconds: 1, Seconds: 1_000, Minutes: 60_000, Hours: 3_600_000, Days: 86_400_000 };
const [hour, day] = [3_600_000, 86_400_000];
/** HTTP caches and environments keep the key set one after the other. */
const cachedMs = ms("keySetCacheSeconds") + ms("keyCacheMinutes");
const tokenMs = ms("accessTokenLifeMinutes") + ms("keyCacheMinutes");

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
  test.each<[string, number | Figure, number | Figure]>([
    ["a pin lives longer than a page about late ones takes", latestMs("pins-late"), "pinLifeMinutes"],
    ["a queue keeps a pin for as long as it lives", "pinLifeMinutes", retentionOf("PinsQueue")],
    ["a worker has ended before its hold on a pin", timeoutOf("deliver-pin"), "pinHeldMs"],
    ["a worker has ended before its lease of a notice", timeoutOf("notify-password-changed"), "noticeLeaseSeconds"],
    ["notices outlast their queue", retentionOf("NoticesQueue"), "noticeDays"],
    ["deliveries outlast queue and dead letters", 18 * day, "deliveryDays"],
    ["changes outlast dead letters", retentionOf("NotificationsDeadLetters") + day, "changeDays"],
    ["a change outlasts the time to undo it", "changeValidMs", ms("changeDays") - day],
    ["a tombstone outlasts dead letters", retentionOf("IntakeDeadLetters"), "tombstoneDays"],
    ["a tombstone is found a day longer", ms("tombstoneDays") + day, "tombstoneKeptDays"],
    ["an export goes back as far as schedules run", timeoutOf("mark-overdue"), "scheduleMs"],
    ["an export goes back as far as workers run", timeoutOf("intake"), "writeMs"],
    ["a key outlasts the tokens and caches that know it", tokenMs, "publishedAfterMinutes"],
    ["a key is in every cache before it signs", cachedMs, "publishedAheadMinutes"],
    ["a secret is known before it signs", "secretCacheMinutes", "knownAheadMs"],
    ["a session proves its client beyond its end", "refreshTokenLifeDays", "sessionProvesDays"],
    ["a reset token proves for longer than it counts", "resetTokenLifeMinutes", "resetTokenProvesMinutes"],
    ["the client keeps a proof for as long as it counts", "resetTokenProvesMs", "resetTokenProvesMinutes"],
    ["counts of a day outlast it on every clock", 2, "windowDaysOfDay"],
    ["counts of an hour outlast it", hour, day * figures.windowDaysOfHour],
    ["a login's messages of a day outlast it", 2 * day, "pinKeptDays"],
    ["a stage's messages of a day outlast it", 2 * day, "ceilingKeptDays"],
    ["a roll-back finds the versions of a canary", 5 * 60_000, "deployMilliseconds"],
    ["an hour of pins alarms before a day's are all long", 24 * thresholdOf("pin-failures"), guessing.wrongPins.most],
    ["users of a delivery fit", 3 * figures.usersPerTransaction + 1, "maxTransactionWrites"],
    ["a person's items fit, two writes each", 2 * figures.removedAtOnce, "maxTransactionWrites"],
    ["a bulk change and its undo fit", figures.mostBulkIds + figures.changeItems, "maxTransactionWrites"],
    ["events fit into a call of the bus", "mostEvents", "maxBatchMessages"],
  ])("%s", (_, smaller, larger) => expect(sizeOf(smaller)).toBeLessThanOrEqual(sizeOf(larger)));

  test("the shares of a day's messages alarm where a client's further messages are held back", () => {
    for (const id of ["sms-share", "mail-share"]) expect(thresholdOf(id)).toBe(100 * guessing.messageShares.further);
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
      const alarms = all("AWS::CloudWatch::Alarm").filter(({ properties: alarm }) =>
        [alarm, ...metricsIn(alarm)].some(
          ({ MetricName, Dimensions }) =>
            MetricName === "ApproximateAgeOfOldestMessage" && Dimensions[0].Value["Fn::GetAtt"][0] === id,
        ),
      );
      expect(alarms, id).toHaveLength(1);
      for (const alarm of alarms) expect(latestSeconds(alarm), id).toBeLessThan(MessageRetentionPeriod / 2);
      // The time in the queue counts for the dead letters, too.
      const deadLetters = queues.get(deadLetterTargetArn["Fn::GetAtt"][0]);
      expect(deadLetters?.MessageRetentionPeriod, id).toBeGreaterThanOrEqual(MessageRetentionPeriod);
    }
    expect(consumed.length).toBeGreaterThan(5);
  });

  test("have a worker that is called no oftener at once than is reserved for it: a throttled call counts as a try", () => {
    const reserved = consumed.filter(({ worker }) => worker.ReservedConcurrentExecutions !== undefined);
    for (const { worker } of reserved) {
      const own = reserved.filter((each) => each.worker === worker);
      const calls = own.reduce((sum, { properties }) => sum + properties.ScalingConfig.MaximumConcurrency, 0);
      expect(calls, worker.FunctionName).toBe(worker.ReservedConcurrentExecutions);
    }
    expect(reserved.length).toBeGreaterThan(0);
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
  expect(ms("defaultTimeoutMs")).toBeGreaterThanOrEqual(30_000);
});

/** A figure's time in milliseconds, by the unit that its name ends in. */
function ms(of: Figure): number {
  const [, factor] = Object.entries(msOf).find(([unit]) => of.endsWith(unit)) ?? [];
  if (factor === undefined) throw new Error(`${of} has no unit`);
  return factor * figures[of];
}

function sizeOf(figure: number | Figure): number {
  if (typeof figure === "number") return figure;
  return Object.keys(msOf).some((unit) => figure.endsWith(unit)) ? ms(figure) : figures[figure];
}

function thresholdOf(alarm: string): number {
  return Number(alarmOf(alarm).Threshold);
}

/** The age that messages or records have when the alarm fires. */
function latestMs(alarm: string): number {
  const { Threshold, MetricName, Period, EvaluationPeriods } = alarmOf(alarm);
  return Threshold * (MetricName === "IteratorAge" ? 1 : 1_000) + Period * EvaluationPeriods * 1_000;
}

function latestSeconds({ properties }: Resource): number {
  const { Threshold, Period, EvaluationPeriods } = properties;
  const periods: number[] = metricsIn(properties).map(({ Period: each }: { Period: number }) => each);
  return Threshold + (Period ?? Math.max(...periods)) * EvaluationPeriods;
}

/** The metrics that an alarm's expression reads. */
function metricsIn({ Metrics = [] }: Resource["properties"]) {
  return Metrics.flatMap(({ MetricStat: stat }: { MetricStat?: { Metric: object; Period: number } }) =>
    stat ? [{ ...stat.Metric, Period: stat.Period }] : [],
  );
}

function retentionOf(name: string): number {
  const [, found] =
    [...queues].find(([id, { QueueName = "" }]) => id.startsWith(name) || QueueName.endsWith(name)) ?? [];
  return Number(found?.MessageRetentionPeriod) * 1_000;
}

function timeoutOf(name: FunctionName): number {
  return timeoutSecondsOf(functions[name]) * 1_000;
}
