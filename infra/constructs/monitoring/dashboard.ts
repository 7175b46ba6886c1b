import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  TextWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { MetricName } from "../../../shared/metrics.ts";
import { streamConsumers } from "../../functions/stream-filters.ts";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { type AlarmRow, awsMetric, type MetricStat, type MonitoredResources, ownMetric } from "./alarm-row.ts";
import { alarmNameOf, linkToRunbook } from "./runbook.ts";

/** CloudWatch's limit. */
const mostAlarmsInWidget = 100;
const fullWidth = 24;
const graphHeight = 6;
const sum: MetricStat = { statistic: "Sum", minutes: 5 };
const highest: MetricStat = { statistic: "Maximum", minutes: 5 };
const reads = ["GetItem", "BatchGetItem", "TransactGetItems", "Query"];
const writes = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"];
const actions = [...reads, ...writes];

/** The contents of the dashboard. */
export interface DashboardProps {
  readonly stage: Stage;
  readonly watched: MonitoredResources;
  readonly rows: readonly AlarmRow[];
}

/** Adds the one dashboard of a stage: alarms, what users notice, costs, backlogs, and every function. */
export function addDashboard(scope: Construct, { stage, watched, rows }: DashboardProps): void {
  const namespace = namesOf(stage.name).metrics;
  const headings = [...new Set(rows.map(({ heading }) => heading))];
  const links = headings.map((heading) => linkToRunbook(heading, stage)).join(" · ");
  new Dashboard(scope, "Dashboard", {
    dashboardName: namesOf(stage.name).stack,
    defaultInterval: Duration.hours(12),
    widgets: [
      ...alarmRows(scope, stage, rows),
      [text(`**What to do when one fires:** ${links}`, 3)],
      [text("## What users feel")],
      usersRow(watched),
      [text("## What it costs, and what is tried")],
      moneyRow(watched, namespace),
      [text("## What waits")],
      waitingRow(watched, namespace),
      [text("## Functions, and what follows from records")],
      functionsRow(watched, namespace),
    ],
  });
}

/** The state of every alarm. Alarms are imported by name: references into nested stacks would each be an output. */
function alarmRows(scope: Construct, stage: Stage, rows: readonly AlarmRow[]): IWidget[][] {
  const alarms = rows.map(({ id }) => Alarm.fromAlarmName(scope, `named-${id}`, alarmNameOf(stage, id)));
  const first = Array.from(
    { length: Math.ceil(alarms.length / mostAlarmsInWidget) },
    (_, at) => at * mostAlarmsInWidget,
  );
  return first.map((at) => [
    new AlarmStatusWidget({
      title: "Alarms",
      alarms: alarms.slice(at, at + mostAlarmsInWidget),
      width: fullWidth,
      height: 8,
    }),
  ]);
}

function usersRow({ apiId: ApiId }: MonitoredResources): IWidget[] {
  const api = (name: string, look: MetricStat) => awsMetric(`ApiGateway ${name}`, { ApiId }, look);
  return row([
    ["Requests", [api("Count", sum)]],
    ["Refused (4xx) and failed (5xx)", [api("4xx", sum), api("5xx", sum)]],
    [
      "Time to answer in ms",
      (["p50", "p99"] as const).map((statistic) =>
        api("Latency", { statistic, minutes: 5 }).with({ label: statistic }),
      ),
    ],
  ]);
}

function moneyRow({ tableName: TableName }: MonitoredResources, namespace: string): IWidget[] {
  const table = (name: string) => awsMetric(`DynamoDB ${name}`, { TableName }, sum);
  const byAction = (name: string) =>
    actions.map((Operation) => awsMetric(`DynamoDB ${name}`, { TableName, Operation }, sum));
  return row([
    [
      "Messages, devices and pins",
      (
        [
          "SmsSent",
          "SmsRefused",
          "MailRefused",
          "FurtherMessagesRefused",
          "RecipientsRefused",
          "DevicesDropped",
          "PinFailures",
          "PasscodeFailures",
          "RefreshesRepeated",
          "RefreshesAhead",
        ] as const
      ).map((each) => ownMetric(namespace, each, {}, sum)),
    ],
    [
      "Messages of the day in % of the ceiling",
      (["SmsShare", "MailShare"] as const).map((each) => ownMetric(namespace, each, {}, highest)),
    ],
    ["SMS of the account this month in $", [awsMetric("SNS SMSMonthToDateSpentUSD", {}, highest)]],
    ["Table units", [table("ConsumedReadCapacityUnits"), table("ConsumedWriteCapacityUnits")]],
    ["Table throttles and faults", [...byAction("ThrottledRequests"), ...byAction("SystemErrors")]],
  ]);
}

function waitingRow(watched: MonitoredResources, namespace: string): IWidget[] {
  const { queues, webhooks, quarantine, undelivered, functions, historyMapping } = watched;
  const ofQueue = (name: string, QueueName: string, label: string) =>
    awsMetric(`SQS ${name}`, { QueueName }, highest).with({ label });
  const waiting = queues.map(({ name, queue }) => [name, queue] as const);
  const kept = queues.map(({ name, deadLetters }) => [name, deadLetters] as const);
  const ofWebhooks = webhooks.map(({ name, deadLetters }) => [`webhook ${name}`, deadLetters] as const);
  const aside = [["quarantined", quarantine] as const, ["undelivered", undelivered] as const];
  const consumers = streamConsumers.map((name) => functions.get(name) ?? "");
  return row([
    [
      "Oldest message in s",
      [...waiting, ...webhooks.map(({ name, queue }) => [`webhook ${name}`, queue] as const)].map(
        ([name, { queueName }]) => ofQueue("ApproximateAgeOfOldestMessage", queueName, name),
      ),
    ],
    [
      "Given up, and webhooks disabled",
      [
        ...[...kept, ...ofWebhooks, ...aside].map(([name, { queueName }]) =>
          ofQueue("ApproximateNumberOfMessagesVisible", queueName, name),
        ),
        ownMetric(namespace, "WebhooksDisabled", {}, sum),
      ],
    ],
    [
      "Consumers of the stream behind in ms",
      consumers.map((FunctionName) => awsMetric("Lambda IteratorAge", { FunctionName }, highest)),
    ],
    [
      "Changes polled for the history",
      [awsMetric("Lambda PolledEventCount", { EventSourceMappingUUID: historyMapping }, sum)],
    ],
  ]);
}

function functionsRow({ functions }: MonitoredResources, namespace: string): IWidget[] {
  const each = (name: string, look: MetricStat) =>
    [...functions].map(([label, FunctionName]) => awsMetric(`Lambda ${name}`, { FunctionName }, look).with({ label }));
  const faults = [...functions.keys()].map((operation) =>
    ownMetric(namespace, "Faults", { operation }, sum).with({ label: operation }),
  );
  const daily = (["CounterDifferences", "CountersBelowZero", "StreamRecordsQuarantined"] as const).map((name) =>
    ownMetric(namespace, name, {}, highest),
  );
  return row([
    ["Faults", faults],
    ["Errors", each("Errors", sum)],
    ["p99 in ms", each("Duration", { statistic: "p99", minutes: 5 })],
    ["Counters that differ, changes in quarantine", daily],
    ["Stale events by source", [bySource(namespace, "StaleEvents")]],
  ]);
}

/** One line for each system that sends events. */
function bySource(namespace: string, name: MetricName): MathExpression {
  const expression = `SEARCH('{${namespace},source} MetricName="${name}"', 'Sum', 300)`;
  return new MathExpression({ expression, label: "", usingMetrics: {} });
}

function row(graphs: readonly (readonly [title: string, left: readonly IMetric[]])[]): IWidget[] {
  const width = fullWidth / graphs.length;
  return graphs.map(([title, left]) => new GraphWidget({ title, left: [...left], width, height: graphHeight }));
}

function text(markdown: string, height = 1): TextWidget {
  return new TextWidget({ markdown, width: fullWidth, height });
}
