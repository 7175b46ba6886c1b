import { TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { type AlarmRow, awsMetric, ownMetric } from "./alarm-row.ts";

const spendShare = 0.8;
const hourly = { statistic: "Maximum", minutes: 60 } as const;

/** Alarms on pins and messages: attacks, failed sending, and costs. */
export function messageAlarms(stage: Stage, namespace: string): AlarmRow[] {
  return [
    {
      id: "pin-failures",
      metric: ownMetric(namespace, "PinFailures", {}, { statistic: "Sum", minutes: 60 }),
      threshold: stage.failedPinsPerHour,
      impact: "Users lose nothing while the limits hold, but somebody may be guessing pins to get into accounts.",
      heading: "Pins are being guessed",
    },
    {
      id: "sms-refused",
      metric: ownMetric(namespace, "SmsRefused", {}, { statistic: "Sum", minutes: 5 }),
      threshold: 1,
      severity: "page",
      impact: "Nobody gets an SMS: those who sign in by phone cannot reset a password or finish registering.",
      heading: "SMS are held back",
    },
    {
      id: "email-rejected",
      metric: awsMetric(
        "SES Reject",
        { "ses:configuration-set": namesOf(stage.name).configurationSet },
        { statistic: "Sum", minutes: 60 },
      ),
      threshold: 1,
      impact: "An e-mail was not sent, as Amazon found a virus in it: somebody got no pin, or no notice.",
      heading: "E-mails bounce",
    },
    ...spendAlarm(stage),
    reputationAlarm("email-bounces", "BounceRate", 0.05, "E-mails bounce"),
    reputationAlarm("email-complaints", "ComplaintRate", 0.001, "E-mails are complained about"),
  ];
}

/**
 * For the whole account, because its reputation is at stake. Amazon reviews an account above these rates, and may stop
 * its e-mail above twice the first.
 */
function reputationAlarm(id: string, rate: string, threshold: number, heading: string): AlarmRow {
  return {
    id,
    metric: awsMetric(`SES Reputation.${rate}`, {}, hourly),
    threshold,
    treatMissingData: TreatMissingData.IGNORE,
    impact: "Users lose nothing yet, but Amazon may stop all e-mail: then no pin arrives by e-mail.",
    heading,
  };
}

/** The limit is the account's. The one stage that sets it watches it. */
function spendAlarm({ smsMonthlySpendLimitDollars: limit }: Stage): AlarmRow[] {
  if (limit === undefined) return [];
  return [
    {
      id: "sms-spend",
      metric: awsMetric("SNS SMSMonthToDateSpentUSD", {}, hourly),
      threshold: limit * spendShare,
      treatMissingData: TreatMissingData.IGNORE,
      impact: "Users lose nothing yet, but at the month's limit no SMS goes out until the next month.",
      heading: "SMS are costly",
    },
  ];
}
