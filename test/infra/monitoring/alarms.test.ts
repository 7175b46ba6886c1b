import { describe, expect, test } from "vitest";
import { intakeRuleName } from "../../../infra/constructs/compute/intake-bus.ts";
import { tableIndexes } from "../../../infra/constructs/stores/records-table.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { ProbeStack } from "../../../infra/probe-stack.ts";
import { namesOf } from "../../../infra/stages/names.ts";
import { type MetricName, metrics } from "../../../shared/metrics.ts";
import { fullStage } from "../../support/service/owned-stage.ts";
import { type Resource, stackBeside, stackOf, useStack } from "../stack.ts";
import { alarmsOf, headingOf, runbook } from "./named-alarms.ts";

const stack = await useStack();
const full = stackOf("full");
const alarms = alarmsOf(stack);
const dimensionsOf = ({ properties }: Resource) =>
  Object.fromEntries(
    (properties.Dimensions ?? []).map((each: { Name: string; Value: unknown }) => [each.Name, each.Value]),
  );
const inLambda = ({ FunctionName }: Resource["properties"]) => ({ FunctionName });
const alarmOn = (metric: string, dimensions: object) =>
  alarms.filter((alarm) => alarm.properties.MetricName === metric && same(dimensionsOf(alarm), dimensions));

describe("what is watched", () => {
  test("every function has an alarm that says what users cannot do: endpoints on their faults, workers on errors", () => {
    for (const [name, { properties }] of stack.functions()) {
      const isWorker = functions[name as FunctionName].area === "workers";
      const own = isWorker ? alarmOn("Errors", inLambda(properties)) : alarmOn("Faults", { operation: name });
      expect(own, name).toHaveLength(1);
      expect(own[0]?.properties.AlarmDescription, name).toContain(functions[name as FunctionName].impact);
    }
  });

  test("every queue that a worker consumes has an alarm on its oldest message, and every other on any message", () => {
    for (const { id, properties } of stack.all("AWS::SQS::Queue")) {
      const isConsumed = properties.RedrivePolicy !== undefined;
      const metric = isConsumed ? "ApproximateAgeOfOldestMessage" : "ApproximateNumberOfMessagesVisible";
      const own = alarmOn(metric, { QueueName: { "Fn::GetAtt": [id, "QueueName"] } });
      expect(own, id).toHaveLength(1);
      if (!isConsumed) expect(own[0]?.properties, id).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 });
    }
  });

  test("every function that consumes the stream has an alarm on how far it is behind", () => {
    const consumers = [...stack.functions()].filter(([name]) => functions[name as FunctionName].readsStream);
    for (const [name, { properties }] of consumers)
      expect(alarmOn("IteratorAge", inLambda(properties)), name).toHaveLength(1);
    expect(consumers.length).toBeGreaterThan(0);
  });

  test("keep-history has an alarm that fires when its mapping has not polled the stream for a quarter of an hour", () => {
    const mappings = stack.all("AWS::Lambda::EventSourceMapping");
    const counting = mappings.filter(({ properties }) => properties.MetricsConfig?.Metrics.includes("EventCount"));
    expect(counting.map(({ properties }) => JSON.stringify(properties.FunctionName))).toEqual([
      JSON.stringify({ Ref: stack.functions().get("keep-history")?.id }),
    ]);
    const own = alarmOn("PolledEventCount", { EventSourceMappingUUID: { Ref: counting[0]?.id } });
    expect(own.map(({ properties }) => properties)).toMatchObject([
      {
        // A poll that finds nothing is a figure, 0: the number of figures says whether there are polls.
        Statistic: "SampleCount",
        ComparisonOperator: "LessThanThreshold",
        Threshold: 1,
        Period: 300,
        EvaluationPeriods: 3,
        TreatMissingData: "breaching",
      },
    ]);
  });

  test("whatever a schedule calls has an alarm that fires when it does not run", () => {
    const nameOf = new Map([...stack.functions()].map(([name, { id }]) => [id, name]));
    for (const { id, properties } of stack.all("AWS::Scheduler::Schedule")) {
      const name = nameOf.get(properties.Target.Arn["Fn::GetAtt"][0]);
      const own = alarms.find((alarm) => alarm.properties.AlarmName === `Workforce-local-${name}-not-run`);
      expect(own?.properties, id).toMatchObject({ TreatMissingData: "breaching", Threshold: 1 });
      expect(own?.properties.ComparisonOperator, id).toBe("LessThanThreshold");
      expect(own?.properties.Period * own?.properties.EvaluationPeriods, id).toBeGreaterThan(24 * 3_600);
    }
  });

  test("recount-lists is called once a day and has a quarter of an hour", () => {
    const fn = stack.functions().get("recount-lists");
    const schedules = stack.all("AWS::Scheduler::Schedule").filter(({ properties }) => {
      return properties.Target.Arn["Fn::GetAtt"][0] === fn?.id;
    });
    expect(schedules.map(({ properties }) => properties.ScheduleExpression)).toEqual(["cron(0 4 * * ? *)"]);
    expect(fn?.properties.Timeout).toBe(900);
  });

  test.each([
    "SmsRefused",
    "MailRefused",
    "FurtherMessagesRefused",
    "SmsShare",
    "MailShare",
    "PinFailures",
    "CounterDifferences",
    "CountersBelowZero",
    "PolledEventCount",
    "5xx",
    "Latency",
    "Throttles",
    "ThrottledRequests",
    "SystemErrors",
    "WriteThrottleEvents",
    "AsyncEventsDropped",
    "RecursiveInvocationsDropped",
    "FailedInvocations",
    "Reject",
    "Reputation.BounceRate",
    "Reputation.ComplaintRate",
  ])("%s fires an alarm", (metric) =>
    expect(alarms.some(({ properties }) => properties.MetricName === metric)).toBe(true));

  test.each([
    ["sms-refused", "Sum", 300, 1],
    ["mail-refused", "Sum", 300, 1],
    ["further-messages-refused", "Sum", 3_600, 1],
    ["sms-share", "Maximum", 3_600, 60],
    ["mail-share", "Maximum", 3_600, 60],
    // Under 208 in each hour of a day are fewer than the 5,000 that make all pins longer.
    ["pin-failures", "Sum", 3_600, 208],
  ])("D10, D11: %s fires by the %s of %i seconds, from %i on", (id, Statistic, Period, Threshold) => {
    const alarm = alarms.find(({ properties }) => properties.AlarmName === `Workforce-local-${id}`);
    const ComparisonOperator = "GreaterThanOrEqualToThreshold";
    expect(alarm?.properties).toMatchObject({ Statistic, Period, Threshold, EvaluationPeriods: 1, ComparisonOperator });
  });

  test("concurrency fires an alarm at four fifths of what the account may use, before calls are refused", () => {
    const alarm = alarmsOf(full).find(({ properties: { AlarmName } }) => /concurrency-near-limit$/.test(AlarmName));
    const [share] = alarm?.properties.Metrics.filter((each: { Expression?: string }) => each.Expression) ?? [];
    expect(share.Expression).toBe("100 * used / SERVICE_QUOTA(used)");
    expect(alarm?.properties).toMatchObject({ Threshold: 80, ComparisonOperator: "GreaterThanOrEqualToThreshold" });
  });

  test("what the account spends on SMS fires an alarm at four fifths of the limit, in the stage that owns it and in no other", () => {
    const spend = ({ properties }: Resource) => properties.MetricName === "SMSMonthToDateSpentUSD";
    expect(alarmsOf(full).filter(spend)).toMatchObject([
      { properties: { Threshold: 0.8 * Number(fullStage.smsMonthlySpendLimitDollars) } },
    ]);
    expect(alarms.filter(spend)).toEqual([]);
  });
});

describe("every alarm", () => {
  const outside = stackBeside((app) => new ProbeStack(app, fullStage)).all("AWS::CloudWatch::Alarm");
  const everywhere = [...alarms, ...alarmsOf(full), ...outside];

  test("says in a sentence what users cannot do, and names its heading in the runbook", () => {
    for (const { properties } of everywhere) {
      expect(properties.AlarmDescription, properties.AlarmName).toMatch(/^[A-Z][^\n]+[.] Runbook: \S/);
      expect(headingOf(properties), properties.AlarmName).toBeDefined();
    }
  });

  test("of the runbook is there, and its section says what to look at, what to do, and how to know that it is over", () => {
    const [, chapter = ""] = runbook.split(/^## When an alarm fires$/m);
    const sections = chapter.split(/^## /m)[0]?.split(/^### /m).slice(1) ?? [];
    const alarmHeadings = new Set(everywhere.map(({ properties }) => headingOf(properties)));
    expect(new Set(sections.map((section) => section.split("\n")[0]))).toEqual(alarmHeadings);
    for (const section of sections) {
      for (const part of ["**Users:**", "**Look:**", "**Do:**", "**Over:**"]) expect(section, section).toContain(part);
    }
  });

  test("is on one metric that comes: the service's own, or one of a resource of the stack, or of the account", () => {
    for (const alarm of alarms) {
      const { Namespace, MetricName, Metrics, AlarmName } = alarm.properties;
      expect(Metrics, AlarmName).toBeUndefined();
      const dimensions = dimensionsOf(alarm);
      if (Namespace === namesOf("local").metrics) {
        expect(Object.keys(dimensions), AlarmName).toEqual([...metrics[MetricName as MetricName]]);
      } else for (const value of Object.values(dimensions)) expectOfStack(value, AlarmName);
    }
  });

  test("has a period and a bucket that CloudWatch takes, and says what it means when no figure comes", () => {
    for (const { properties } of everywhere) {
      const { EvaluationPeriods, TreatMissingData, AlarmName, Metrics = [] } = properties;
      const ofExpression = Metrics.find((each: { MetricStat?: object }) => each.MetricStat)?.MetricStat.Period;
      const Period = properties.Period ?? ofExpression;
      const most = Period >= 3_600 ? 7 * 86_400 : 86_400;
      expect(Period * EvaluationPeriods, AlarmName).toBeLessThanOrEqual(most);
      expect(TreatMissingData, AlarmName).toMatch(/^(notBreaching|breaching|ignore)$/);
    }
  });

  test("is sent by its severity when it fires and when it is over, or summed up, where the stage has an address", () => {
    for (const { properties } of alarmsOf(full)) {
      const { AlarmName, AlarmActions, OKActions } = properties;
      const id = String(AlarmName).replace("Workforce-full-", "");
      const topic = pagingFunctions.includes(id) || summedUp().includes(id) ? undefined : topicOf(id);
      expect([AlarmActions, OKActions], AlarmName).toEqual(topic ? [[topic], [topic]] : [undefined, undefined]);
    }
  });

  test("pages only where users are shut out or soon will be; all else waits for the morning", () => {
    const sent = alarmsOf(full).filter(({ properties }) => same(properties.AlarmActions, [topic("Page")]));
    const ids = sent.map(({ properties }) => String(properties.AlarmName).replace("Workforce-full-", ""));
    expect(ids.filter((id) => !/^(table-throttles|table-fails|sms-lost)-/.test(id)).toSorted()).toEqual(
      [...paging].toSorted(),
    );
    const functionAlarms = [...full.functions().keys()].length;
    expect(pagingFunctions.length + summedUp().length).toBe(functionAlarms);
  });

  test("of a function that pages is sent for itself: another one that fails meanwhile pages as well", () => {
    const sent = full
      .all("AWS::CloudWatch::CompositeAlarm")
      .filter(({ properties }) => same(properties.AlarmActions, [topic("Page")]));
    expect(sent.map(({ properties }) => idsIn(properties.AlarmRule)).toSorted()).toEqual(
      pagingFunctions.map((id) => [id]),
    );
    for (const { properties } of sent) expect(headingOf(properties)).toMatch(/^An operation fails$|^A worker fails$/);
  });

  test("of functions is silenced by nothing that somebody from outside can bring about: what they provoke hides no worker", () => {
    expect(idsIn(composite("common-cause").properties.AlarmRule)).toEqual([
      "table-fails-GetItem",
      "table-fails-TransactGetItems",
      "table-fails-TransactWriteItems",
    ]);
  });

  test("of functions stays silent while what all functions need has one that is sent, and waits for that", () => {
    const cause = composite("common-cause");
    expect(cause.properties.AlarmActions).toBeUndefined();
    const isSummedUp = ({ id }: Resource) => id !== cause.id;
    const summaries = full.all("AWS::CloudWatch::CompositeAlarm").filter(isSummedUp);
    expect(summaries).toHaveLength(pagingFunctions.length + 1);
    for (const { properties, dependsOn } of summaries) {
      expect(properties.ActionsSuppressor).toEqual({ "Fn::GetAtt": [cause.id, "Arn"] });
      const [common = ""] = idsIn(cause.properties.AlarmRule);
      const look = alarmsOf(full).find(({ properties: { AlarmName } }) => AlarmName === `Workforce-full-${common}`);
      expect(properties.ActionsSuppressorWaitPeriod).toBeGreaterThan(look?.properties.Period);
      expect(properties.ActionsSuppressorExtensionPeriod).toBeGreaterThan(15 * 60);
      expect(properties.OKActions).toEqual(properties.AlarmActions);
      // CloudWatch takes no summary of alarms that are not there, and its rule is at most so long.
      const names = new Map(alarmsOf(full).map(({ id, properties: { AlarmName } }) => [AlarmName, id]));
      const behind = idsIn(properties.AlarmRule);
      for (const id of behind) expect(dependsOn, id).toContain(names.get(`Workforce-full-${id}`));
      expect(properties.AlarmRule.length).toBeLessThan(10_240);
    }
    const { properties } = composite("functions-tomorrow");
    expect(properties.AlarmActions).toEqual([topic("Topic")]);
    expect(properties.AlarmDescription).toMatch(/#an-operation-fails$/);
  });

  test("of a stage without an address is sent to nobody, and none speaks for others", () => {
    for (const { properties } of alarms) expect(properties.AlarmActions, properties.AlarmName).toBeUndefined();
    expect(() => stack.all("AWS::SNS::Topic")).toThrow();
    expect(() => stack.all("AWS::CloudWatch::CompositeAlarm")).toThrow();
  });
});

/** What pages beside the table, and SMS by country. */
const paging = new Set([
  "api-5xx",
  "api-slow",
  "concurrency-near-limit",
  "functions-throttled",
  "mail-refused",
  "notify-behind",
  "pins-late",
  "sms-refused",
  "undelivered",
  "keep-history-behind",
  "keep-history-stands-still",
]);

/** The alarms of functions that page. */
const pagingFunctions = [
  "deliver-pin-errors",
  "refresh-token-faults",
  "request-password-reset-faults",
  "sign-in-faults",
];

function topic(part: "Page" | "Topic"): { Ref: string } {
  const found = full.all("AWS::SNS::Topic").find(({ id }) => id.startsWith(`MonitoringAlarms${part}`));
  return { Ref: String(found?.id) };
}

function topicOf(id: string): { Ref: string } {
  const isPage = paging.has(id) || /^(table-throttles|table-fails|sms-lost)-/.test(id);
  return topic(isPage ? "Page" : "Topic");
}

function composite(id: string): Resource {
  const found = full
    .all("AWS::CloudWatch::CompositeAlarm")
    .find(({ properties }) => properties.AlarmName === `Workforce-full-${id}`);
  if (!found) throw new Error(`There is no composite alarm ${id}`);
  return found;
}

function idsIn(rule: string): string[] {
  return [...rule.matchAll(/ALARM\("Workforce-full-([^"]+)"\)/g)].map(([, id = ""]) => id);
}

function summedUp(): string[] {
  return idsIn(composite("functions-tomorrow").properties.AlarmRule);
}

test("copies, certificates, SMS by country, and the account's concurrency and budget are watched where somebody is notified", () => {
  const ids = alarmsOf(full).map(({ properties }) => String(properties.AlarmName).replace("Workforce-full-", ""));
  const countries = fullStage.servedCountries.map((country) => `sms-lost-${country}`);
  expect(ids).toEqual(
    expect.arrayContaining(["backup-missing", "certificate-expires", "concurrency-near-limit", ...countries]),
  );
  const [budget] = full.all("AWS::Budgets::Budget");
  expect(budget?.properties.Budget.BudgetLimit).toEqual({ Amount: fullStage.monthlyBudgetDollars, Unit: "USD" });
  expect(JSON.stringify(budget?.properties.NotificationsWithSubscribers)).toContain(fullStage.alarmAddress);
});

test("the rate of SMS that arrive pages from ten of an hour on: one that does not says nothing", () => {
  const alarm = alarmsOf(full).find(({ properties }) => properties.AlarmName === "Workforce-full-sms-lost-GB");
  const [rate] = alarm?.properties.Metrics.filter((each: { Expression?: string }) => each.Expression) ?? [];
  expect(rate.Expression).toBe("IF(sent >= 10, rate, 1)");
  const looks = alarm?.properties.Metrics.filter((each: { MetricStat?: object }) => each.MetricStat);
  expect(
    looks.map(({ Id, MetricStat }: { Id: string; MetricStat: { Stat: string; Period: number } }) => [
      Id,
      MetricStat.Stat,
      MetricStat.Period,
    ]),
  ).toEqual([
    ["sent", "SampleCount", 3_600],
    ["rate", "Average", 3_600],
  ]);
});

test("functions send their metrics where the alarms look", () => {
  for (const [name, { properties }] of stack.functions()) {
    expect(properties.Environment.Variables.METRIC_NAMESPACE, name).toBe(namesOf("local").metrics);
  }
});

test("what alarms say is encrypted, goes by TLS alone, and to the stage's address; CloudWatch may send it", () => {
  const [key] = full.all("AWS::KMS::Key").filter(({ id }) => id.startsWith("Monitoring"));
  for (const { id, properties } of full.all("AWS::SNS::Topic")) {
    expect(properties.KmsMasterKeyId, id).toEqual({ "Fn::GetAtt": [key?.id, "Arn"] });
  }
  expect(
    full
      .all("AWS::SNS::Subscription")
      .map(({ properties }) => [properties.TopicArn, properties.Protocol, properties.Endpoint]),
  ).toEqual([
    [topic("Topic"), "email", fullStage.alarmAddress],
    [topic("Page"), "email", fullStage.alarmAddress],
    [topic("Page"), "https", fullStage.pagerUrl],
  ]);
  const policies = full.all("AWS::SNS::TopicPolicy").map(({ properties }) => properties.PolicyDocument.Statement);
  expect(policies).toHaveLength(2);
  for (const statements of policies) {
    expect(statements).toContainEqual(
      expect.objectContaining({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } }),
    );
  }
  for (const allowing of [...policies, key?.properties.KeyPolicy.Statement]) {
    expect(allowing).toContainEqual(
      expect.objectContaining({ Effect: "Allow", Principal: { Service: "cloudwatch.amazonaws.com" } }),
    );
  }
  // What a deploy that failed leaves of it would cost a dollar a month.
  expect(key?.deletionPolicy).toBe("Delete");
});

function expectOfStack(value: unknown, alarm: string): void {
  const { Ref, "Fn::GetAtt": [id] = [] } = value as { Ref?: string; "Fn::GetAtt"?: string[] };
  const functionNames = [...stack.functions().values()].map(({ properties }) => properties.FunctionName);
  const isFixed = [
    ...functionNames,
    namesOf("local").table,
    namesOf("local").eventBus,
    namesOf("local").configurationSet,
    intakeRuleName,
    ...tableIndexes,
    ...["GetItem", "TransactGetItems", "Query", "UpdateItem", "TransactWriteItems"],
  ].includes(String(value));
  expect(isFixed || Object.hasOwn(stack.template.Resources, Ref ?? id ?? ""), `${alarm} ${JSON.stringify(value)}`).toBe(
    true,
  );
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
