import { Duration, Stack } from "aws-cdk-lib";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import { CfnRule } from "aws-cdk-lib/aws-events";
import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { InlineRole } from "../compute/inline-role.ts";
import { keepOut, namesKeys, outsideOf } from "../stores/records-table.ts";
import { type AlarmRow, awsMetric, type MonitoredResources } from "./alarm-row.ts";
import { peopleOf } from "./people.ts";

/** The least that IAM takes as a role's longest session. */
const longestSession = Duration.hours(1);

/** The indexes that a recount and the history of a change are read from. */
const readIndexes = ["by-company", "by-company-month", "by-month", "by-total"];

/**
 * The role for repairing records of the live table: recount, history, import of companies, jobs, invoices and
 * timesheets, and SES's suppression list. It reads users for their names but writes none, because a role in a user's
 * record is a right; of the history it writes the runs of imports alone. It reaches no other guarded partition and no
 * secret. A session ends after an hour, and a rule counts each, for an alarm.
 */
export class RepairRole extends Construct {
  constructor(scope: Construct, id: string, { stage, table }: { readonly stage: Stage; readonly table: ITableV2 }) {
    super(scope, id);
    const { repairRole, repairRule } = namesOf(stage.name);
    const { region } = Stack.of(this);
    const role = new InlineRole(this, "Role", {
      // The rule sees calls of STS in its own region alone.
      assumedBy: peopleOf(stage, { StringEquals: { "aws:RequestedRegion": region } }),
      roleName: repairRole(region),
      maxSessionDuration: longestSession,
    });
    for (const statement of rightsTo(table)) role.addToPrincipalPolicy(statement);
    new CfnRule(this, "Taken", {
      name: repairRule,
      description: `Somebody asks for the role ${repairRole(region)}`,
      // The usual state passes no call on that AWS counts as reading, such as this one.
      state: "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS",
      eventPattern: {
        source: ["aws.sts"],
        "detail-type": ["AWS API Call via CloudTrail"],
        detail: { eventName: ["AssumeRole"], requestParameters: { roleArn: [role.roleArn] } },
      },
    });
  }
}

/** The alarm of each session, for stages that notify somebody. It needs a trail of CloudTrail in the account. */
export function repairRoleAlarm({ stage }: MonitoredResources): AlarmRow[] {
  if (stage.alarmAddress === undefined) return [];
  const { repairRule: RuleName } = namesOf(stage.name);
  return [
    {
      id: "repair-role-taken",
      metric: awsMetric("Events MatchedEvents", { RuleName }, { statistic: "Sum", minutes: 5 }),
      threshold: 1,
      impact: "Users lose nothing: somebody has taken the role that may change their records.",
      heading: "The repair role is taken",
    },
  ];
}

function rightsTo({ tableArn }: ITableV2): PolicyStatement[] {
  const onTable = (actions: string[], conditions?: object) =>
    new PolicyStatement({
      actions: actions.map((each) => `dynamodb:${each}`),
      resources: [tableArn],
      conditions,
    });
  return [
    onTable(["DescribeTable"]),
    onTable(["GetItem", "BatchGetItem", "Query"], keepOut(["HISTORY#", "USER#"])),
    onTable(["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"], keepOut([])),
    onTable(["BatchWriteItem"], {
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["HISTORY#IMPORT#*"] },
      ...namesKeys,
    }),
    new PolicyStatement({
      actions: ["dynamodb:Query"],
      resources: readIndexes.map((index) => `${tableArn}/index/${index}`),
      conditions: outsideOf(["HISTORY#"]),
    }),
    // An address on the list has no ARN.
    new PolicyStatement({
      actions: ["ses:GetSuppressedDestination", "ses:DeleteSuppressedDestination"],
      resources: ["*"],
    }),
    new PolicyStatement({ effect: Effect.DENY, actions: ["secretsmanager:*"], resources: ["*"] }),
  ];
}
