import { Duration, Stack } from "aws-cdk-lib";
import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import { MathExpression, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { edgeOf, type WatchedStage } from "../../stages/stage-shape.ts";
import { type AlarmRow, awsMetric, type MonitoredResources } from "./alarm-row.ts";

const hours = (statistic: "Average" | "SampleCount") => ({ statistic, minutes: 60 }) as const;
const fewestSms = 10;
const warnAtPercent = 80;

/** Alarms on the account and on services around the stack. */
export function accountAlarms({ stage }: MonitoredResources): AlarmRow[] {
  const { customDomain } = stage;
  const certificate = customDomain ? [expiryAlarm("certificate-expires", customDomain.certificateArn)] : [];
  return [concurrencyAlarm(), ...smsAlarms(stage), ...backupAlarm(stage), ...certificate];
}

function concurrencyAlarm(): AlarmRow {
  const dimensions = { Service: "Lambda", Resource: "ConcurrentExecutions", Type: "Resource", Class: "None" };
  const used = awsMetric("Usage ResourceCount", dimensions, { statistic: "Maximum", minutes: 5 });
  return {
    id: "concurrency-near-limit",
    metric: new MathExpression({
      expression: "100 * used / SERVICE_QUOTA(used)",
      usingMetrics: { used },
      period: Duration.minutes(5),
    }),
    threshold: 80,
    because: "In percent: a fifth is left for a peak while somebody asks for more.",
    severity: "page",
    impact: "Users lose nothing yet, but at the account's concurrency requests are refused with 503.",
    heading: "Functions are throttled",
  };
}

/**
 * SNS answers 200 even if a network drops the message. Only its rate by country shows that. A single phone that is off
 * is no reason for an alarm.
 */
function smsAlarms({ servedCountries }: Stage): AlarmRow[] {
  const rateOf = (Country: string, statistic: "Average" | "SampleCount") =>
    awsMetric("SNS SMSSuccessRate", { Country, SMSType: "Transactional" }, hours(statistic));
  return servedCountries.map((country) => ({
    id: `sms-lost-${country}`,
    metric: new MathExpression({
      expression: `IF(sent >= ${fewestSms}, rate, 1)`,
      usingMetrics: { sent: rateOf(country, "SampleCount"), rate: rateOf(country, "Average") },
      label: `SMS to ${country} that arrive`,
      period: Duration.hours(1),
    }),
    threshold: 0.7,
    because: `With fewer than ${fewestSms} SMS in an hour, a rate says nothing; some phones are always off.`,
    isBelow: true,
    severity: "page",
    impact: `Many SMS to ${country} do not arrive: users there who sign in by phone get no pin.`,
    heading: "SMS do not arrive",
  }));
}

function backupAlarm({ name, backupKeptDays, backupLockDays }: Stage): AlarmRow[] {
  if (backupKeptDays === undefined) return [];
  const BackupVaultName = namesOf(name).backupVault;
  const nightly = {
    minutes: 60,
    periods: 36,
    because: "A day between two nightly copies, and 12 hours for a late one.",
  };
  // An alarm sees seven days at most. Days that have a figure count first, so that it waits for a late copy, too.
  const weekly = {
    minutes: 1_440,
    periods: 7,
    because: "A week between two weekly copies, the longest that an alarm sees.",
  };
  const { minutes, ...look } = backupLockDays === undefined ? weekly : nightly;
  return [
    {
      // Counts complete jobs, because a job that fails, expires or never begins is not complete.
      id: "backup-missing",
      metric: awsMetric("Backup NumberOfBackupJobsCompleted", { BackupVaultName }, { statistic: "Sum", minutes }),
      threshold: 1,
      isBelow: true,
      ...look,
      treatMissingData: TreatMissingData.BREACHING,
      impact: "Users lose nothing, but the last copy is older than it should be, should the table be lost.",
      heading: "No backup was made",
    },
  ];
}

/** Alarm on a certificate in ACM, which reports to the region that it is in. */
function expiryAlarm(id: string, CertificateArn: string): AlarmRow {
  return {
    id,
    metric: awsMetric("CertificateManager DaysToExpiry", { CertificateArn }, { statistic: "Minimum", minutes: 1_440 }),
    threshold: 30,
    because: "ACM has renewed it before if it could; a month is left to do it by hand.",
    isBelow: true,
    impact: "Users lose nothing yet, but within 30 days no app reaches the API at its own address.",
    heading: "The certificate expires",
  };
}

/** In percent of the edge's answers, as of the API's own. */
const failing = 0.5;
/** Requests in five minutes below which a rate says nothing. */
const leastRequests = 1_000;
/** Requests an hour that the firewall refuses. One address that goes on after it is refused sends that many in a minute. */
const mostBlocked = 1_000;

/** Alarms on a stage's edge and its firewall, none without an edge. All are in us-east-1. */
export function edgeAlarms(stage: Stage): AlarmRow[] {
  const edge = edgeOf(stage);
  if (edge === undefined) return [];
  const WebACL = namesOf(stage.name).firewall;
  return [
    expiryAlarm("edge-certificate-expires", edge.certificateArn),
    {
      id: "edge-blocks",
      metric: awsMetric("WAFV2 BlockedRequests", { WebACL, Rule: "ALL" }, { statistic: "Sum", minutes: 60 }),
      threshold: mostBlocked,
      because: "One address that goes on after it is refused sends as many in some minutes.",
      impact: "Users lose nothing if it is one caller's flood, but a site behind one address may be refused with 429.",
      heading: "The edge refuses or fails",
    },
    ...(edge.distributionId === undefined ? [] : [failingAlarm(edge.distributionId)]),
  ];
}

/** CloudFront counts what API Gateway cannot: answers that never reached it. */
function failingAlarm(DistributionId: string): AlarmRow {
  const of = (metric: string, statistic: "Sum" | "Average") =>
    awsMetric(`CloudFront ${metric}`, { DistributionId, Region: "Global" }, { statistic, minutes: 5 });
  const usingMetrics = { requests: of("Requests", "Sum"), rate: of("5xxErrorRate", "Average") };
  return {
    id: "edge-5xx",
    metric: new MathExpression({
      expression: `IF(requests >= ${leastRequests}, rate, 0)`,
      usingMetrics,
      label: "Answers of the edge that are 5xx, percent",
      period: usingMetrics.rate.period,
    }),
    threshold: failing,
    because: `In percent, as of the API's own answers; below ${leastRequests} requests a rate says nothing.`,
    periods: 2,
    severity: "page",
    impact: "Some requests fail at the edge, whatever users try.",
    heading: "The edge refuses or fails",
  };
}

/** Watches the account's monthly costs, if the stage sets a budget. Two budgets are free of charge in an account. */
export function addBudget(
  scope: Construct,
  { name, monthlyBudgetDollars: dollars, alarmAddress: address }: WatchedStage,
): void {
  if (dollars === undefined) return;
  const subscribers = [{ subscriptionType: "EMAIL", address }];
  new CfnBudget(scope, "Budget", {
    budget: {
      budgetName: namesOf(name).budget(Stack.of(scope).region),
      budgetType: "COST",
      timeUnit: "MONTHLY",
      budgetLimit: { amount: dollars, unit: "USD" },
    },
    notificationsWithSubscribers: (["ACTUAL", "FORECASTED"] as const).map((notificationType) => ({
      notification: {
        notificationType,
        comparisonOperator: "GREATER_THAN",
        threshold: notificationType === "ACTUAL" ? warnAtPercent : 100,
      },
      subscribers,
    })),
  });
}
