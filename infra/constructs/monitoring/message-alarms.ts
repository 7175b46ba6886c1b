import { TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { firstMessages, messageShares } from "../../../shared/people/message-limits.ts";
import { wrongPins } from "../../../shared/people/pins.ts";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { type AlarmRow, awsMetric, type MonitoredResources, ownMetric } from "./alarm-row.ts";

const wrongPinsAnHour = Math.floor(wrongPins.most / 24);
const highShare = 100 * messageShares.further;
const atHighShare = {
  threshold: highShare,
  because: `In percent of a day's ceiling: from here on a client's messages after its first ${firstMessages} are held back (D11).`,
  heading: "Many messages are asked for",
};
const hourly = { statistic: "Maximum", minutes: 60 } as const;

/** Alarms on pins and messages: attacks, failed sending, and costs. */
export function messageAlarms({ stage }: MonitoredResources): AlarmRow[] {
  return [
    {
      id: "pin-failures",
      metric: ownMetric(stage, "PinFailures", {}, { statistic: "Sum", minutes: 60 }),
      threshold: wrongPinsAnHour,
      because:
        "Nobody uses up the stage's short pins within a day without so many wrong ones in one of its hours (D10).",
      impact:
        "Users may have to type pins of twelve digits, because somebody may be guessing pins to get into accounts.",
      heading: "Pins are being guessed",
    },
    ...refusedAlarms(stage),
    ...shareAlarms(stage),
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
    reputationAlarm("email-bounces", "BounceRate", 0.05),
    reputationAlarm("email-complaints", "ComplaintRate", 0.001),
  ];
}

/** A share that all have used up pages, as users wait for it; one that a client has used up is most likely an attack. */
function refusedAlarms(stage: Stage): AlarmRow[] {
  const refused = (metric: "SmsRefused" | "MailRefused" | "FurtherMessagesRefused", minutes: number) =>
    ownMetric(stage, metric, {}, { statistic: "Sum", minutes });
  const heldBack = (id: string, metric: "SmsRefused" | "MailRefused", means: string): AlarmRow => ({
    id,
    metric: refused(metric, 5),
    threshold: 1,
    severity: "page",
    impact: `Users who sign in by ${means} wait for a pin in vain: they cannot reset a password or finish registering.`,
    heading: "Messages are held back",
  });
  return [
    heldBack("sms-refused", "SmsRefused", "phone"),
    heldBack("mail-refused", "MailRefused", "e-mail"),
    {
      id: "further-messages-refused",
      metric: refused("FurtherMessagesRefused", 60),
      threshold: 1,
      impact: "Users behind one address get no more pins there without a device used before: somebody asks for many.",
      heading: "Many messages are asked for",
    },
  ];
}

function shareAlarms(stage: Stage): AlarmRow[] {
  const used = (metric: "SmsShare" | "MailShare") => ownMetric(stage, metric, {}, hourly);
  const impact = (kind: string) =>
    `Users lose nothing yet, but ${highShare} % of the ${kind} of a day are sent: an address gets no more than its first ${firstMessages}.`;
  return [
    { id: "sms-share", metric: used("SmsShare"), ...atHighShare, impact: impact("SMS") },
    { id: "mail-share", metric: used("MailShare"), ...atHighShare, impact: impact("mails") },
  ];
}

/** For the whole account, because its reputation is at stake. */
function reputationAlarm(id: string, rate: string, threshold: number): AlarmRow {
  return {
    id,
    metric: awsMetric(`SES Reputation.${rate}`, {}, hourly),
    threshold,
    because: "Amazon reviews an account above it, and may stop its e-mail above a multiple.",
    treatMissingData: TreatMissingData.IGNORE,
    impact: "Users lose nothing yet, but Amazon may stop all e-mail: then no pin arrives by e-mail.",
    heading: "E-mails bounce",
  };
}
