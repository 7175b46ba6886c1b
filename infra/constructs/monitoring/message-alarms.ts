import type { Stage } from "../../stages/stages.ts";
import { type AlarmRow, awsMetric, ownMetric } from "./alarm-row.ts";

/** Amazon looks into an account above these shares, and may stop its e-mail above twice the first. */
const mostBounces = 0.05;
const mostComplaints = 0.001;
const spendShare = 0.8;

/** Alarms on pins and messages: what attackers try, what is not sent, and what it costs. */
export function messageAlarms(stage: Stage, namespace: string): AlarmRow[] {
  const hourly = { statistic: "Maximum", minutes: 60 } as const;
  return [
    {
      id: "pin-failures",
      metric: ownMetric(namespace, "PinFailures", {}, { statistic: "Sum", minutes: 60 }),
      threshold: stage.failedPinsPerHour,
      treatMissingData: "notBreaching",
      impact: "Users lose nothing while the limits hold, but somebody may be guessing pins to get into accounts.",
      heading: "Pins are being guessed",
    },
    {
      id: "sms-refused",
      metric: ownMetric(namespace, "SmsRefused", {}, { statistic: "Sum", minutes: 5 }),
      threshold: 1,
      treatMissingData: "notBreaching",
      impact: "Nobody gets an SMS: those who sign in by phone cannot reset a password or finish registering.",
      heading: "SMS are held back",
    },
    ...spendAlarm(stage),
    {
      // Of the whole account, like the next: its good name is what is lost.
      id: "email-bounces",
      metric: awsMetric("SES Reputation.BounceRate", {}, hourly),
      threshold: mostBounces,
      treatMissingData: "ignore",
      impact: "Users lose nothing yet, but Amazon may stop all e-mail: then no pin arrives by e-mail.",
      heading: "E-mails bounce",
    },
    {
      id: "email-complaints",
      metric: awsMetric("SES Reputation.ComplaintRate", {}, hourly),
      threshold: mostComplaints,
      treatMissingData: "ignore",
      impact: "Users lose nothing yet, but Amazon may stop all e-mail: then no pin arrives by e-mail.",
      heading: "E-mails are complained about",
    },
  ];
}

/** The limit is the account's: the one stage that owns it watches it. */
function spendAlarm({ smsMonthlySpendLimitDollars: limit }: Stage): AlarmRow[] {
  if (limit === undefined) return [];
  return [
    {
      id: "sms-spend",
      metric: awsMetric("SNS SMSMonthToDateSpentUSD", {}, { statistic: "Maximum", minutes: 60 }),
      threshold: limit * spendShare,
      treatMissingData: "ignore",
      impact: "Users lose nothing yet, but at the month's limit no SMS goes out until the next month.",
      heading: "SMS are costly",
    },
  ];
}
