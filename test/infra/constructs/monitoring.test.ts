import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { intakeRuleName } from "../../../infra/constructs/compute/intake-bus.ts";
import { placeInRunbook } from "../../../infra/constructs/monitoring/runbook.ts";
import { tableIndexes } from "../../../infra/functions/function-row.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { ProbeStack } from "../../../infra/probe-stack.ts";
import { namesOf, tableNameOf } from "../../../infra/stages/names.ts";
import { type MetricName, metrics } from "../../../shared/metrics.ts";
import { arnOf, type Resource, stackBeside, stackOf, useStack } from "../stack.ts";
import { fullStage } from "../stages/owned-stage.ts";

const stack = await useStack();
const full = stackOf("full");
const runbook = readFileSync(join(root, "infra/RUNBOOK.md"), "utf8");
const headings = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);

/** The alarms that people are notified of; those that only watch a release have no name. */
const alarmsIn = ({ all }: Pick<typeof stack, "all">) =>
  all("AWS::CloudWatch::Alarm").filter(({ properties }) => typeof properties.AlarmName === "string");
const [alarms, fullAlarms] = [alarmsIn(stack), alarmsIn(full)];
const outside = alarmsIn(stackBeside((app) => new ProbeStack(app, fullStage)));
const everywhere = [...alarms, ...fullAlarms, ...outside];
const composites = full.all("AWS::CloudWatch::CompositeAlarm");
const [cause] = composites.filter(({ properties }) => properties.AlarmName.endsWith("-common-cause"));
const summaries = composites.filter((each) => each !== cause);

/** The heading that an alarm's text ends in, as the file or as its address. */
const headingOf = ({ AlarmDescription }: Resource["properties"]) =>
  headings.find((heading) =>
    [{}, fullStage].some((stage) => AlarmDescription.endsWith(` Runbook: ${placeInRunbook(heading, stage)}`)),
  );
const dimensionsOf = ({ properties }: Resource): Record<string, unknown> =>
  Object.fromEntries((properties.Dimensions ?? []).map((each: Dimension) => [each.Name, each.Value]));
const alarmsOn = (metric: string, dimensions: object) =>
  alarms.filter((each) => each.properties.MetricName === metric && same(dimensionsOf(each), dimensions));
const named = (rule = "") => [...rule.matchAll(/ALARM\("Workforce-full-([^"]+)"\)/g)].map(([, id = ""]) => id);

describe("what is watched: the page of figures has each alarm's threshold, periods and severity", () => {
  test("every function, by what users cannot do: endpoints by their faults, workers by errors, consumers by their lag", () => {
    for (const [name, { properties }] of stack.functions()) {
      const { FunctionName } = properties;
      const { area, impact, readsStream = false } = functions[name as FunctionName];
      const own = area === "workers" ? alarmsOn("Errors", { FunctionName }) : alarmsOn("Faults", { operation: name });
      expect(own, name).toHaveLength(1);
      expect(own[0]?.properties.AlarmDescription, name).toContain(impact);
      expect(alarmsOn("IteratorAge", { FunctionName }), name).toHaveLength(readsStream ? 1 : 0);
      expect(properties.Environment.Variables.METRIC_NAMESPACE, name).toBe(namesOf("local").metrics);
    }
  });

  test("every queue that a worker consumes by its oldest message, and every other by any message", () => {
    for (const { id, properties } of stack.all("AWS::SQS::Queue")) {
      const isConsumed = properties.RedrivePolicy !== undefined;
      const metric = isConsumed ? "ApproximateAgeOfOldestMessage" : "ApproximateNumberOfMessagesVisible";
      expect(alarmsOn(metric, { QueueName: { "Fn::GetAtt": [id, "QueueName"] } }), id).toHaveLength(1);
    }
  });

  test("keep-history by the polls of its mapping, which alone is counted", () => {
    const mappings = stack.all("AWS::Lambda::EventSourceMapping");
    const counting = mappings.filter(({ properties }) => properties.MetricsConfig?.Metrics.includes("EventCount"));
    expect(counting.map(({ properties }) => properties.FunctionName)).toEqual([
      { Ref: stack.functions().get("keep-history")?.id },
    ]);
    expect(alarmsOn("PolledEventCount", { EventSourceMappingUUID: { Ref: counting[0]?.id } })).toHaveLength(1);
  });

  test("every schedule, by an alarm that fires when it has not run for more than a day", () => {
    const nameOf = new Map([...stack.functions()].map(([name, { id }]) => [id, name]));
    for (const { id, properties } of stack.all("AWS::Scheduler::Schedule")) {
      const name = nameOf.get(properties.Target.Arn["Fn::GetAtt"][0]);
      const own = alarms.find((alarm) => alarm.properties.AlarmName === `Workforce-local-${name}-not-run`)?.properties;
      expect(own, id).toMatchObject({ TreatMissingData: "breaching", ComparisonOperator: "LessThanThreshold" });
      expect(own?.Period * own?.EvaluationPeriods, id).toBeGreaterThan(24 * 3_600);
    }
  });

  test("the rate of SMS that arrive, from ten of an hour on; the account's spending by the stage alone that owns its limit", () => {
    const { Metrics } =
      fullAlarms.find(({ properties }) => properties.AlarmName.endsWith("-sms-lost-GB"))?.properties ?? {};
    const looks: object[] = Metrics.filter((each: { MetricStat?: object }) => each.MetricStat);
    expect(looks).toMatchObject([
      { Id: "sent", MetricStat: { Stat: "SampleCount" } },
      { Id: "rate", MetricStat: { Stat: "Average" } },
    ]);
    expect(alarms.filter(({ properties }) => properties.MetricName === "SMSMonthToDateSpentUSD")).toEqual([]);
  });
});

describe("every alarm", () => {
  test("says in a sentence what users cannot do, and names its section of the runbook; no section is without one", () => {
    for (const { properties } of everywhere) {
      expect(properties.AlarmDescription, properties.AlarmName).toMatch(/^[A-Z][^\n]+[.] Runbook: \S/);
      expect(headingOf(properties), properties.AlarmName).toBeDefined();
    }
    const [, chapter = ""] = runbook.split(/^## When an alarm fires$/m);
    const sections = chapter.split(/^## /m)[0]?.split(/^### /m).slice(1) ?? [];
    const alarmHeadings = new Set(everywhere.map(({ properties }) => headingOf(properties)));
    expect(new Set(sections.map((section) => section.split("\n")[0]))).toEqual(alarmHeadings);
    for (const section of sections)
      for (const part of ["**Users:**", "**Look:**", "**Do:**", "**Over:**"]) expect(section).toContain(part);
  });

  test("is on one metric that comes: the service's own, or one of a resource of the stack, or of the account", () => {
    for (const alarm of alarms) {
      const { Namespace, MetricName, Metrics, AlarmName } = alarm.properties;
      expect(Metrics, AlarmName).toBeUndefined();
      const dimensions = dimensionsOf(alarm);
      if (Namespace === namesOf("local").metrics)
        expect(Object.keys(dimensions), AlarmName).toEqual([...metrics[MetricName as MetricName]]);
      else for (const each of Object.values(dimensions)) expect(isOfStack(each), `${AlarmName} ${each}`).toBe(true);
    }
  });

  test("looks at no more periods than CloudWatch takes: a day of short ones, a week of hours", () => {
    for (const { properties } of everywhere) {
      const { EvaluationPeriods, AlarmName, Metrics = [] } = properties;
      const Period = properties.Period ?? Metrics.find((each: Measured) => each.MetricStat)?.MetricStat.Period;
      expect(Period * EvaluationPeriods, AlarmName).toBeLessThanOrEqual((Period >= 3_600 ? 7 : 1) * 86_400);
    }
  });

  test("is sent in one way: by itself or by a summary, when it fires and when it is over; without an address in none", () => {
    const summed = summaries.flatMap(({ properties }) => named(properties.AlarmRule));
    for (const { properties } of [...fullAlarms, ...summaries]) {
      const id = String(properties.AlarmName).replace("Workforce-full-", "");
      const { AlarmActions = [], OKActions = [] } = properties;
      expect(OKActions, id).toEqual(AlarmActions);
      expect([...AlarmActions, ...summed.filter((each) => each === id)], id).toHaveLength(1);
    }
    for (const { properties } of alarms) expect(properties.AlarmActions, properties.AlarmName).toBeUndefined();
    for (const type of ["AWS::SNS::Topic", "AWS::CloudWatch::CompositeAlarm"]) expect(() => stack.all(type)).toThrow();
  });

  test("of a function that pages is sent for itself: another one that fails meanwhile pages as well", () => {
    const paging = summaries.filter(({ properties }) => same(properties.AlarmActions, [topic("Page")]));
    for (const { properties } of paging) {
      expect(named(properties.AlarmRule)).toHaveLength(1);
      expect(headingOf(properties)).toMatch(/^An operation fails$|^A worker fails$/);
    }
    expect(paging).toHaveLength(summaries.length - 1);
  });

  test("of a function waits while the table fails, and for nothing that somebody from outside can bring about", () => {
    const common = named(cause?.properties.AlarmRule);
    expect(common).toEqual(["GetItem", "TransactGetItems", "TransactWriteItems"].map((each) => `table-fails-${each}`));
    expect(cause?.properties.AlarmActions).toBeUndefined();
    const byId = new Map(fullAlarms.map((each) => [each.properties.AlarmName.replace("Workforce-full-", ""), each]));
    for (const { properties, dependsOn } of summaries) {
      expect(properties.ActionsSuppressor).toEqual({ "Fn::GetAtt": [cause?.id, "Arn"] });
      const look = byId.get(String(common[0]))?.properties;
      expect(properties.ActionsSuppressorWaitPeriod).toBeGreaterThan(look?.Period);
      expect(properties.ActionsSuppressorExtensionPeriod).toBeGreaterThan(15 * 60);
      // CloudWatch takes no summary of alarms that are not there, and its rule is at most so long.
      for (const id of named(properties.AlarmRule)) expect(dependsOn, id).toContain(byId.get(id)?.id);
      expect(properties.AlarmRule.length).toBeLessThan(10_240);
    }
  });
});

test("what alarms and the budget say goes to the stage's addresses alone; CloudWatch may encrypt and send it", () => {
  const subscriptions = full.all("AWS::SNS::Subscription").map(({ properties }) => properties);
  expect(subscriptions.map(({ TopicArn, Protocol, Endpoint }) => [TopicArn, Protocol, Endpoint])).toEqual([
    [topic("Topic"), "email", fullStage.alarmAddress],
    [topic("Page"), "email", fullStage.alarmAddress],
    [topic("Page"), "https", fullStage.pagerUrl],
  ]);
  const { Budget, NotificationsWithSubscribers } = full.one("AWS::Budgets::Budget").properties;
  expect(Budget.BudgetLimit.Unit).toBe("USD");
  expect(JSON.stringify(NotificationsWithSubscribers)).toContain(fullStage.alarmAddress);
  const key = full.one("AWS::KMS::Key", "Monitoring");
  for (const { id, properties } of full.all("AWS::SNS::Topic"))
    expect(properties.KmsMasterKeyId, id).toEqual(arnOf(key));
  const policies = full.all("AWS::SNS::TopicPolicy").map(({ properties }) => properties.PolicyDocument.Statement);
  for (const allowing of [...policies, key.properties.KeyPolicy.Statement]) {
    const sender = { Effect: "Allow", Principal: { Service: "cloudwatch.amazonaws.com" } };
    expect(allowing).toContainEqual(expect.objectContaining(sender));
  }
  // A key that a failed deploy leaves costs a dollar a month.
  expect(key.deletionPolicy).toBe("Delete");
});

test("the dashboard shows every function, queue, metric and alarm, the table's calls, and leads to every heading", () => {
  const body = JSON.stringify(stack.one("AWS::CloudWatch::Dashboard").properties.DashboardBody).replaceAll("\\", "");
  const functionNames = [...stack.functions().values()].map(({ properties }) => properties.FunctionName);
  // A release alone looks at the faults of a version.
  const lasting = Object.keys(metrics).filter((name) => name !== "VersionFaults");
  const shown = [
    ...[...stack.all("AWS::SQS::Queue").map(({ id }) => id), ...functionNames].map((each) => `"${each}"`),
    ...alarms.flatMap(({ properties }) => [`:alarm:${properties.AlarmName}`, String(headingOf(properties))]),
    ...["GetItem", "TransactGetItems", "TransactWriteItems"].map((action) => `"Operation","${action}"`),
  ];
  expect([...shown, ...lasting].filter((each) => !body.includes(each))).toEqual([]);
});

test("every function, queue and heading that the runbook names is there", () => {
  const namesIn = (pattern: RegExp) => [...runbook.matchAll(pattern)].map(([, name = ""]) => name);
  const queues = [...namesIn(/(?:queue|arn) ([A-Z]\w+)/g), ...namesIn(/`([A-Z][a-z]+(?:DeadLetters|Queue))`/g)];
  for (const name of queues) expect(stack.one("AWS::SQS::Queue", name), name).toBeDefined();
  const calls = namesIn(/\$\(fn ([a-z-]+)\)/g);
  expect([...calls, ...queues].length).toBeGreaterThan(10);
  expect(calls.filter((name) => !stack.functions().has(name))).toEqual([]);
  const anchors = headings.map((heading) => placeInRunbook(heading, { runbookUrl: "x" }));
  expect(namesIn(/\]\((#[^)]+)\)/g).filter((anchor) => !anchors.includes(`x${anchor}`))).toEqual([]);
  const runbookUrl = "https://code.harbour-logistics.co.uk/workforce/infra/RUNBOOK.md";
  expect(placeInRunbook("E-mails bounce", { runbookUrl })).toBe(`${runbookUrl}#e-mails-bounce`);
  expect(placeInRunbook("E-mails bounce", {})).toBe('infra/RUNBOOK.md, "E-mails bounce"');
});

interface Dimension {
  readonly Name: string;
  readonly Value: unknown;
}

interface Measured {
  readonly MetricStat?: { readonly Period: number };
}

function topic(part: "Page" | "Topic"): { Ref: string } {
  return { Ref: full.one("AWS::SNS::Topic", `MonitoringAlarms${part}`).id };
}

/** True for a resource of the stack, and for a name that one has. */
function isOfStack(value: unknown): boolean {
  const { Ref, "Fn::GetAtt": [id] = [] } = value as { Ref?: string; "Fn::GetAtt"?: string[] };
  const { eventBus, configurationSet } = namesOf("local");
  const table = tableNameOf({ name: "local" });
  const functionNames = [...stack.functions().values()].map(({ properties }) => properties.FunctionName);
  const calls = ["GetItem", "TransactGetItems", "Query", "UpdateItem", "TransactWriteItems"];
  const fixed = [...functionNames, table, eventBus, configurationSet, intakeRuleName, ...tableIndexes, ...calls];
  return fixed.includes(String(value)) || Object.hasOwn(stack.template.Resources, Ref ?? id ?? "");
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
