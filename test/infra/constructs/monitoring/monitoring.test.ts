import { isDeepStrictEqual } from "node:util";
import * as dynamodb from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { gatewayThrottles } from "../../../../infra/constructs/api/access-log.ts";
import { intakeRuleName } from "../../../../infra/constructs/compute/buses.ts";
import { ofVersions } from "../../../../infra/constructs/monitoring/dashboard.ts";
import { placeInRunbook } from "../../../../infra/constructs/monitoring/runbook.ts";
import { type FunctionRow, tableIndexes } from "../../../../infra/functions/function-row.ts";
import { type FunctionName, functions } from "../../../../infra/functions/functions.ts";
import { streamConsumers } from "../../../../infra/functions/stream-filters.ts";
import { namesOf, tableNameOf } from "../../../../infra/stages/names.ts";
import { type MetricName, metrics } from "../../../../shared/run/log.ts";
import { runbookText } from "../../../system/runbook/shell-commands.ts";
import { deployedAlarms, namedAlarms, nameOf } from "../../alarms/deployed-alarms.ts";
import { arnOf, type Resource, readStack, stackOf, synthesizeAlone } from "../../stack.ts";
import { fullStage } from "../../stages/owned-stage.ts";

const stack = stackOf("full");
const runbook = runbookText();
const headings = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);

const alarms = namedAlarms(stack);
const composites = stack.all("AWS::CloudWatch::CompositeAlarm");

/** The heading that an alarm's text ends in. */
const headingOf = ({ AlarmDescription }: Resource["properties"]) =>
  headings.find((heading) => AlarmDescription.endsWith(` Runbook: ${placeInRunbook(heading, fullStage)}`));
const measuredBy = ({ properties }: Resource): Measured[] =>
  (properties.Metrics ?? [{ MetricStat: { Metric: properties, Period: properties.Period } }]).flatMap(
    ({ MetricStat }: { MetricStat?: { Metric: Resource["properties"]; Period: number } }) =>
      MetricStat === undefined ? [] : [measured(MetricStat.Metric, MetricStat.Period)],
  );
const alarmsOn = (metric: string, dimensions: object) =>
  alarms.filter((each) =>
    measuredBy(each).some(({ name, ...own }) => name === metric && isDeepStrictEqual(own.dimensions, dimensions)),
  );
const named = (rule = "") => [...rule.matchAll(/ALARM\("Workforce-full-([^"]+)"\)/g)].map(([, id = ""]) => id);

describe("what is watched: the page of figures has each alarm's threshold and periods, the runbook those that page", () => {
  test("every function: endpoints by their faults, workers by errors, consumers by their lag; each that pages by itself", () => {
    const [all] = alarmsOn("Faults", {});
    for (const [name, { properties }] of stack.functions()) {
      const { FunctionName, Environment } = properties;
      const { area, impact, pages, readsStream = false } = functions[name as FunctionName];
      const own = area === "workers" ? alarmsOn("Errors", { FunctionName }) : alarmsOn("Faults", { operation: name });
      const wanted = area === "workers" ? ["worker-errors"] : [];
      expect(own.map(nameOf), name).toEqual(pages ? [`${name}-${area === "workers" ? "errors" : "faults"}`] : wanted);
      if (pages) expect(own[0]?.properties.AlarmDescription, name).toContain(impact);
      expect(alarmsOn("IteratorAge", { FunctionName }), name).toHaveLength(readsStream ? 1 : 0);
      expect(Environment.Variables, name).toMatchObject({ METRIC_NAMESPACE: namesOf("full").metrics, IMPACT: impact });
    }
    expect(all && nameOf(all), "the sum of all operations").toBe("operation-faults");
  });

  test("every queue that a worker consumes by its oldest message, and every other by any message", () => {
    for (const { id, properties } of stack.all("AWS::SQS::Queue")) {
      const isConsumed = properties.RedrivePolicy !== undefined;
      const metric = isConsumed ? "ApproximateAgeOfOldestMessage" : "ApproximateNumberOfMessagesVisible";
      expect(alarmsOn(metric, { QueueName: { "Fn::GetAtt": [id, "QueueName"] } }), id).toHaveLength(1);
    }
  });

  test("every consumer of the stream by the polls of its mapping, of which none at all fires, whatever the reason", () => {
    const mappings = stack.all("AWS::Lambda::EventSourceMapping");
    const counting = mappings.filter(({ properties }) => properties.MetricsConfig?.Metrics.includes("EventCount"));
    const consumers = streamConsumers.map((name) => ({ Ref: stack.functions().get(name)?.id }));
    expect(counting.map(({ properties }) => properties.FunctionName)).toEqual(consumers);
    for (const { id } of counting) {
      const [own, ...others] = alarmsOn("PolledEventCount", { EventSourceMappingUUID: { Ref: id } });
      expect([own?.properties.TreatMissingData, others], id).toEqual(["breaching", []]);
    }
  });

  test("every action that a function may take on the table, for being throttled", () => {
    const taken = new Set<string>(Object.values(functions).flatMap(({ table = [] }: FunctionRow) => table));
    // The transactions that writes are part of count under names of their own, and so does their condition.
    const counted = [...taken]
      .filter((each) => each !== "ConditionCheckItem")
      .concat("TransactGetItems", "TransactWriteItems");
    for (const Operation of counted) {
      const TableName = tableNameOf(fullStage);
      expect(alarmsOn("ThrottledRequests", { Operation, TableName }), Operation).toHaveLength(1);
    }
  });

  test("what the account and region share says so; all other metrics of Lambda are of the stage's own functions", () => {
    const shared = alarms.filter((each) =>
      measuredBy(each).some(
        ({ namespace, dimensions }) => namespace === "AWS/Lambda" && isDeepStrictEqual(dimensions, {}),
      ),
    );
    expect(shared.map(({ properties }) => properties.AlarmName)).toEqual(["Workforce-full-functions-throttled"]);
    expect(shared[0]?.properties.AlarmDescription).toContain("in the account and region");
  });
});

describe("every alarm", () => {
  test("says in a sentence what users cannot do, and names its section of the runbook; no section is without one", () => {
    for (const { properties } of deployedAlarms) {
      expect(properties.AlarmDescription, properties.AlarmName).toMatch(/^[A-Z][^\n]+[.] Runbook: \S/);
      expect(headingOf(properties), properties.AlarmName).toBeDefined();
    }
    const [, chapter = ""] = runbook.split(/^## When an alarm fires$/m);
    const sections = chapter.split(/^## /m)[0]?.split(/^### /m).slice(1) ?? [];
    const alarmHeadings = new Set(deployedAlarms.map(({ properties }) => headingOf(properties)));
    expect(new Set(sections.map((section) => section.split("\n")[0]))).toEqual(alarmHeadings);
  });

  test("is on metrics that come: the service's own, or those of a resource of the stack, or of the account", () => {
    for (const alarm of alarms) {
      for (const { namespace, name, dimensions } of measuredBy(alarm)) {
        const about = `${alarm.properties.AlarmName} ${name}`;
        if (namespace === namesOf("full").metrics && name !== gatewayThrottles)
          expect(metrics[name as MetricName], about).toContainEqual(Object.keys(dimensions));
        else for (const each of Object.values(dimensions)) expect(isOfStack(each), `${about} ${each}`).toBe(true);
      }
      expect(measuredBy(alarm).length, "CloudWatch's limit for an expression").toBeLessThanOrEqual(10);
    }
    const { MetricName, MetricNamespace } = stack.one("AWS::Logs::MetricFilter").properties.MetricTransformations[0];
    expect([MetricName, MetricNamespace]).toEqual([gatewayThrottles, namesOf("full").metrics]);
  });

  test("looks at no more periods than CloudWatch takes: a day of short ones, a week of hours", () => {
    for (const alarm of deployedAlarms) {
      const { properties } = alarm;
      const { EvaluationPeriods, AlarmName } = properties;
      const Period = properties.Period ?? measuredBy(alarm)[0]?.period;
      expect(Period * EvaluationPeriods, AlarmName).toBeLessThanOrEqual((Period >= 3_600 ? 7 : 1) * 86_400);
      // A percentile of few requests says nothing; of another statistic CloudWatch takes no word on it.
      const { ExtendedStatistic, EvaluateLowSampleCountPercentile } = properties;
      expect(EvaluateLowSampleCountPercentile, AlarmName).toBe(ExtendedStatistic && "ignore");
    }
  });

  test("is sent in one way: by itself or by a composite, when it fires and when it is over", () => {
    const summed = composites.flatMap(({ properties }) => named(properties.AlarmRule));
    for (const { properties } of [...alarms, ...composites]) {
      const id = nameOf({ properties });
      const { AlarmActions = [], OKActions = [] } = properties;
      expect(OKActions, id).toEqual(AlarmActions);
      expect([...AlarmActions, ...summed.filter((each) => each === id)], id).toHaveLength(1);
    }
  });

  test("of a function that pages is sent for itself: another one that fails meanwhile pages as well", () => {
    for (const { properties } of composites) {
      expect(properties.AlarmActions).toEqual([topic("Page")]);
      expect(named(properties.AlarmRule)).toHaveLength(1);
      expect(headingOf(properties)).toMatch(/^An operation fails$|^A worker fails$/);
    }
    const ids = composites.flatMap(({ properties }) => named(properties.AlarmRule));
    expect(ids.toSorted()).toEqual(
      [...Object.entries<FunctionRow>(functions)]
        .filter(([, { pages }]) => pages)
        .map(([name, { area }]) => `${name}-${area === "workers" ? "errors" : "faults"}`)
        .toSorted(),
    );
  });

  test("of a function that pages waits while the table fails, and for nothing that somebody from outside can bring about", () => {
    const cause = alarms.find((each) => nameOf(each) === "table-fails") as Resource;
    expect(cause.properties.AlarmActions, "it is sent itself").toEqual([topic("Page")]);
    for (const { properties, dependsOn } of composites) {
      expect(properties.ActionsSuppressor).toEqual(arnOf(cause));
      const [look] = measuredBy(cause);
      expect(properties.ActionsSuppressorWaitPeriod).toBeGreaterThan(Number(look?.period));
      expect(properties.ActionsSuppressorExtensionPeriod).toBeGreaterThan(15 * 60);
      // CloudWatch takes no composite of alarms that are not there.
      const [id] = named(properties.AlarmRule);
      expect(dependsOn, id).toContain(alarms.find((each) => nameOf(each) === id)?.id);
    }
  });
});

test("few enough to hold in the head: at most 80 alarms, those of releases among them, and 5 composites", () => {
  for (const name of ["staging", "prod", "full"]) {
    expect(stackOf(name).all("AWS::CloudWatch::Alarm").length, name).toBeLessThanOrEqual(80);
    expect(stackOf(name).all("AWS::CloudWatch::CompositeAlarm").length, name).toBeLessThanOrEqual(5);
  }
});

test("a stage without an address has no alarm but those that take a release back, and nothing that alarms alone read", () => {
  const { region: _, account: __, alarmAddress: ___, ...stage } = fullStage;
  const unwatched = readStack(synthesizeAlone({ stage: { ...stage, removal: "delete" } }));
  const { template, all } = unwatched;
  const types = new Set(Object.values(template.Resources).map(({ Type }) => Type));
  for (const type of [
    "AWS::CloudWatch::CompositeAlarm",
    "AWS::CloudWatch::Dashboard",
    "AWS::Logs::MetricFilter",
    "AWS::SES::ConfigurationSetEventDestination",
    "AWS::SNS::Topic",
    "AWS::KMS::Key",
    "AWS::Budgets::Budget",
  ]) {
    expect([...types]).not.toContain(type);
    expect(stack.all(type).length, type).toBeGreaterThan(0);
  }
  const ofReleases = ["VersionFails", "VersionRefuses"];
  const left = all("AWS::CloudWatch::Alarm").filter(({ id }) => !ofReleases.some((each) => id.includes(each)));
  expect(left.map(({ id }) => id)).toEqual([]);
  expect(all("AWS::CloudWatch::Alarm")).toHaveLength(16);
  expect(JSON.stringify(all("AWS::Lambda::EventSourceMapping"))).not.toContain("MetricsConfig");
  const counting = [...unwatched.functions()].flatMap(([name, { properties }]) =>
    "METRIC_NAMESPACE" in properties.Environment.Variables ? [name] : [],
  );
  const released = Object.entries<FunctionRow>(functions).flatMap(([name, { canary }]) => (canary ? [name] : []));
  expect(counting.toSorted(), "those that are released by canary").toEqual(released.toSorted());
}, 60_000);

test("what alarms and the budget say goes to the stage's addresses alone; CloudWatch may encrypt and send it", () => {
  const subscriptions = stack.all("AWS::SNS::Subscription").map(({ properties }) => properties);
  expect(subscriptions.map(({ TopicArn, Protocol, Endpoint }) => [TopicArn, Protocol, Endpoint])).toEqual([
    [topic("Topic"), "email", fullStage.alarmAddress],
    [topic("Page"), "email", fullStage.alarmAddress],
    [topic("Page"), "https", fullStage.pagerUrl],
  ]);
  const { Budget, NotificationsWithSubscribers } = stack.one("AWS::Budgets::Budget").properties;
  expect(Budget.BudgetLimit.Unit).toBe("USD");
  expect(JSON.stringify(NotificationsWithSubscribers)).toContain(fullStage.alarmAddress);
  const key = stack.one("AWS::KMS::Key", "Monitoring");
  for (const { id, properties } of stack.all("AWS::SNS::Topic"))
    expect(properties.KmsMasterKeyId, id).toEqual(arnOf(key));
  const policies = stack.all("AWS::SNS::TopicPolicy").map(({ properties }) => properties.PolicyDocument.Statement);
  for (const allowing of [...policies, key.properties.KeyPolicy.Statement]) {
    const sender = { Effect: "Allow", Principal: { Service: "cloudwatch.amazonaws.com" } };
    expect(allowing).toContainEqual(expect.objectContaining(sender));
  }
  // A key that a failed deploy leaves costs a dollar a month.
  expect(key.deletionPolicy).toBe("Delete");
});

test("the dashboard has a graph for each chapter and for each expression, and the service's other figures in one", () => {
  const { DashboardBody } = stack.one("AWS::CloudWatch::Dashboard").properties;
  const { start, widgets } = readBody(DashboardBody);
  expect(start).toBe("-PT12H");
  const sizes = new Set(widgets.map(({ type, width, height }) => `${type} ${width}×${height}`));
  expect([...sizes]).toEqual(["alarm 24×8", "text 24×3", "text 24×1", "metric 8×6", "log 12×8"]);
  // CloudWatch's limit.
  for (const { properties } of widgets) expect(properties.alarms?.length ?? 0).toBeLessThanOrEqual(100);
  const graphs = widgets.flatMap(({ properties: { title = "", metrics: lines } }) => (lines ? [{ title, lines }] : []));
  const titles = graphs.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.filter((title) => title.includes(": "))).toEqual([
    "Many requests are refused: users-refused",
    "Traffic has stopped: traffic-stopped",
    "Functions are throttled: concurrency-near-limit",
    ...fullStage.servedCountries.map((country) => `SMS do not arrive: sms-lost-${country}`),
  ]);
  const users = JSON.stringify(graphs.slice(0, 3));
  expect(users, "five minutes, as CloudWatch shows without a word").not.toContain('"period"');
  const alarmed = new Set(alarms.flatMap(measuredBy).map(({ name }) => name));
  const others = Object.keys(metrics).filter((name) => !alarmed.has(name) && !ofVersions.includes(name));
  const shown = JSON.stringify(graphs.find(({ title }) => title === "The service's own figures"));
  expect(Object.keys(metrics).filter((name) => new RegExp(`\\b${name}\\b`).test(shown))).toEqual(others);
  expect(shown.match(/SEARCH\('\{Workforce\/full,\w+\}/g)).toEqual(["SEARCH('{Workforce/full,source}"]);
  expect(JSON.stringify(widgets)).toContain(`[Many requests fail](${fullStage.runbookUrl}#many-requests-fail) · [`);
});

interface Widget {
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title?: string;
    readonly metrics?: unknown[];
    readonly alarms?: unknown[];
    readonly query?: string;
  };
}

/** The body of a dashboard; references read as `made`. */
function readBody(body: Resource["properties"]): { start: string; widgets: Widget[] } {
  return JSON.parse(body["Fn::Join"][1].map((part: unknown) => (typeof part === "string" ? part : "made")).join(""));
}

test("the dashboard shows every function, queue, metric and alarm, the table's calls, and leads to every heading", () => {
  const body = JSON.stringify(stack.one("AWS::CloudWatch::Dashboard").properties.DashboardBody).replaceAll("\\", "");
  const functionNames = [...stack.functions().values()].map(({ properties }) => properties.FunctionName);
  const lasting = Object.keys(metrics).filter((name) => !ofVersions.includes(name));
  const shown = [
    ...[...stack.all("AWS::SQS::Queue").map(({ id }) => id), ...functionNames].map((each) => `"${each}"`),
    ...alarms.flatMap(({ id, properties }) => [`["${id}","Arn"]`, String(headingOf(properties))]),
    ...["GetItem", "TransactGetItems", "TransactWriteItems"].map((action) => `"Operation","${action}"`),
  ];
  expect([...shown, ...lasting].filter((each) => !body.includes(each))).toEqual([]);
});

test("the dashboard's tables count the faults of every function by what people cannot do, by queries that AWS takes", () => {
  const { DashboardBody } = stack.one("AWS::CloudWatch::Dashboard").properties;
  const queries: string[] = readBody(DashboardBody).widgets.flatMap(({ properties: { query } }) => query ?? []);
  const groups = queries.map((query) => [...query.matchAll(/SOURCE '([^']+)' \| /g)].map(([, group = ""]) => group));
  const made = stack.all("AWS::Logs::LogGroup").map(({ properties }) => String(properties.LogGroupName));
  expect(groups.flat().toSorted()).toEqual(made.filter((name) => name.startsWith("/aws/lambda/")).toSorted());
  for (const each of groups) expect(each.length, "the limit of Logs Insights").toBeLessThanOrEqual(50);
  for (const query of queries) expect(query).toMatch(/stats count\(\) as times by name, impact\n/);
});

test("every function and queue that the runbook names is there, and alarms lead to its headings", () => {
  const namesIn = (pattern: RegExp) => [...runbook.matchAll(pattern)].map(([, name = ""]) => name);
  const queues = [...namesIn(/(?:queue|arn) ([A-Z][a-z]\w+)/g), ...namesIn(/`([A-Z][a-z]+(?:DeadLetters|Queue))`/g)];
  for (const name of queues) expect(stack.one("AWS::SQS::Queue", name), name).toBeDefined();
  const calls = namesIn(/\$\(fn ([a-z-]+)\)/g);
  expect([...calls, ...queues].length).toBeGreaterThan(10);
  expect(calls.filter((name) => !stack.functions().has(name))).toEqual([]);
  const runbookUrl = "https://code.harbour-logistics.co.uk/workforce/infra/RUNBOOK.md";
  expect(placeInRunbook("E-mails bounce", { runbookUrl })).toBe(`${runbookUrl}#e-mails-bounce`);
  expect(placeInRunbook("E-mails bounce", {})).toBe('infra/RUNBOOK.md, "E-mails bounce"');
});

interface Measured {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Record<string, unknown>;
  readonly period: number;
}

function measured({ Namespace, MetricName, Dimensions = [] }: Resource["properties"], period: number): Measured {
  const pairs = Dimensions.map(({ Name, Value }: { Name: string; Value: unknown }) => [Name, Value]);
  return { namespace: Namespace, name: MetricName, dimensions: Object.fromEntries(pairs), period };
}

function topic(part: "Page" | "Topic"): { Ref: string } {
  return { Ref: stack.one("AWS::SNS::Topic", `MonitoringAlarms${part}`).id };
}

/** The words of AWS for the account's concurrency, and for messages that users wait for. */
const ofAws = ["Lambda", "ConcurrentExecutions", "Resource", "None", "Transactional"];

/** True for a resource of the stack, for a name that one has, and for a call of DynamoDB. */
function isOfStack(value: unknown): boolean {
  const { Ref, "Fn::GetAtt": [id] = [] } = value as { Ref?: string; "Fn::GetAtt"?: string[] };
  const { eventBus, configurationSet, backupVault, repairRule } = namesOf("full");
  const functionNames = [...stack.functions().values()].map(({ properties }) => properties.FunctionName);
  const named = [tableNameOf(fullStage), eventBus, configurationSet, backupVault, repairRule, intakeRuleName];
  const { customDomain, servedCountries } = fullStage;
  const fixed = [
    ...functionNames,
    ...named,
    ...tableIndexes,
    customDomain.certificateArn,
    ...servedCountries,
    ...ofAws,
  ];
  if (fixed.includes(String(value)) || Object.hasOwn(dynamodb, `${value}Command`)) return true;
  return Object.hasOwn(stack.template.Resources, Ref ?? id ?? "");
}
