import { CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { paginateListSubscriptionsByTopic, SNSClient, type Subscription } from "@aws-sdk/client-sns";
import * as v from "valibot";
import { namesOf, outsideAlarm, testedAlarms } from "../../stages/names.ts";
import { callService } from "../aws/call-service.ts";
import { type DeployTarget, type Finding, later, missing, ok, onlyFor } from "./finding.ts";
import { findStack } from "./stack-checks.ts";

/** Checks that alarms reach people, and that these can do something about them. */
export const peopleChecks = onlyFor(
  ({ alarmAddress }) => alarmAddress !== undefined,
  [
    {
      about: "alarm e-mails",
      asks: "The first deploy sends each recipient a link to confirm, which ends after some days.",
      find: findSubscriptions,
    },
    {
      about: "roles of people",
      asks: "Each person on call needs a second factor in IAM, or IAM Identity Center and onCallPrincipals.",
      find: findPeople,
    },
    {
      about: "alarms",
      asks: "Fire the alarms for test after the first deploy, in minutes.",
      find: findAlarms,
    },
  ],
);

async function findSubscriptions(place: DeployTarget): Promise<Finding> {
  const { alarmAddress, name, probedHost } = place.stage;
  const { stack, outside } = namesOf(name);
  if ((await findStack(place)) === undefined) {
    return later(`Once the deploy has ended, confirm the e-mails of SNS to ${alarmAddress}, or no alarm is sent.`);
  }
  // The check from outside and the edge have topics of their own.
  const beside = { StackName: outside, region: "us-east-1" };
  const isWatched = probedHost !== undefined && (await findStack(place, beside)) !== undefined;
  const stacks = [{ StackName: stack }, ...(isWatched ? [beside] : [])];
  const found = (await Promise.all(stacks.map(findSubscribers))).flat();
  const waiting = found.flatMap(({ subscriptions }) => subscriptions.filter(isWaiting));
  if (waiting.length > 0) {
    const who = [...new Set(waiting.map(({ Endpoint }) => Endpoint))].join(", ");
    return missing(`SNS waits for ${who} to confirm, and sends no alarm there: open the link in its e-mails.`);
  }
  const silent = found.filter(({ subscriptions }) => subscriptions.length === 0).map(({ topic }) => topic);
  if (silent.length === 0) return ok(`every recipient of ${found.length} topics has confirmed`);
  const subscribe = `aws sns subscribe --protocol email --notification-endpoint ${alarmAddress} --topic-arn`;
  // An unconfirmed subscription is deleted after days, and a deploy that changes nothing does not bring it back.
  return missing(`Nobody gets the alarms of ${silent.join(", ")}: run ${subscribe} with each, in its region.`);
}

const isWaiting = ({ SubscriptionArn }: Subscription) => SubscriptionArn === "PendingConfirmation";

interface Subscribed {
  readonly topic: string;
  readonly subscriptions: readonly Subscription[];
}

async function findSubscribers({ StackName, ...where }: { StackName: string; region?: string }): Promise<Subscribed[]> {
  const found: Subscribed[] = [];
  const resources = paginateListStackResources({ client: new CloudFormationClient(where) }, { StackName });
  for await (const { StackResourceSummaries = [] } of resources) {
    for (const { ResourceType, PhysicalResourceId: TopicArn = "" } of StackResourceSummaries) {
      if (ResourceType !== "AWS::SNS::Topic") continue;
      const subscriptions: Subscription[] = [];
      const pages = paginateListSubscriptionsByTopic({ client: new SNSClient(where) }, { TopicArn });
      for await (const page of pages) subscriptions.push(...(page.Subscriptions ?? []));
      found.push({ topic: TopicArn, subscriptions });
    }
  }
  return found;
}

/** The permission set of a session of IAM Identity Center, in its ARN. */
const ofPermissionSet = /:assumed-role\/AWSReservedSSO_([\w+=,.@-]+)_[0-9a-f]+\//;

async function findPeople({ stage, file, account, caller = "" }: DeployTarget): Promise<Finding> {
  const { onCallPrincipals = [] } = stage;
  const [, own] = ofPermissionSet.exec(caller) ?? [];
  const roles = "the roles on call and repair";
  const path = `arn:aws:iam::${account}:role/aws-reserved/sso.amazonaws.com/`;
  if (own !== undefined && onCallPrincipals.length === 0) {
    const advice = `set onCallPrincipals in ${file} to that of those who are on call, such as ["${path}REGION/AWSReservedSSO_${own}_*"] with Identity Center's region (none if it is us-east-1)`;
    return missing(
      `Your session is of the permission set ${own} of Identity Center, and none such can take ${roles}: ${advice}.`,
    );
  }
  const look = "aws iam list-roles --path-prefix /aws-reserved/sso.amazonaws.com/";
  const sets = onCallPrincipals.filter((arn) => arn.endsWith("_*"));
  if (own === undefined && sets.length > 0) {
    return later(
      `Without Identity Center nobody is ${sets.join(" or ")}: look with ${look}, or leave onCallPrincipals out and give users of IAM a second factor.`,
    );
  }
  if (onCallPrincipals.length > 0) return ok(`sessions of ${onCallPrincipals.join(", ")} may take ${roles}`);
  return later(
    `Without Identity Center only users of IAM with a second factor can take ${roles}: make one for each person.`,
  );
}

const history = v.object({ AlarmHistoryItems: v.array(v.object({ HistorySummary: v.string() })) });

/** Whether an alarm of each severity reached its target within the 30 days that CloudWatch remembers. */
async function findAlarms({ stage }: DeployTarget): Promise<Finding> {
  const tested = testedAlarms.map((id) => ({ id, where: {} }));
  if (stage.probedHost !== undefined) tested.push({ id: outsideAlarm, where: { region: "us-east-1" } });
  const silent: string[] = [];
  for (const { id, where } of tested) {
    const AlarmName = `${namesOf(stage.name).stack}-${id}`;
    const action = { service: "monitoring", target: "GraniteServiceVersion20100801.DescribeAlarmHistory" } as const;
    const input = { AlarmName, HistoryItemType: "Action", MaxRecords: 100 };
    const { AlarmHistoryItems } = v.parse(history, await callService(new LambdaClient(where), action, input));
    if (!AlarmHistoryItems.some(({ HistorySummary }) => HistorySummary.startsWith("Successfully executed action")))
      silent.push(AlarmName);
  }
  if (silent.length === 0)
    return ok("one of each severity reached its topic within 30 days; ask whoever is to get them");
  const advice = 'fire them once the deploy has ended, as "Fire the alarms for test" in infra/RUNBOOK.md says';
  return later(`Nobody knows whether alarms arrive; ${silent.join(" and ")} reached no topic for 30 days: ${advice}.`);
}
