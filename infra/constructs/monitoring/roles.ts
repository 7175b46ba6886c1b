import { Duration, Stack } from "aws-cdk-lib";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import { CfnRule } from "aws-cdk-lib/aws-events";
import * as iam from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { QueueRow } from "../../functions/queues.ts";
import { streamConsumers } from "../../functions/stream-filters.ts";
import { functionNameOf, namesOf, outsideAlarm, smsFailureLog, tableNameOf, testedAlarms } from "../../stages/names.ts";
import type { Stage, WatchedStage } from "../../stages/stage-shape.ts";
import { InlineRole } from "../compute/inline-role.ts";
import { allowOn, type WorkQueue } from "../compute/work-queue.ts";
import { viaSns } from "../messages/via-sns.ts";
import { keepOut, onlyAttributesIn, onlyIn, outsideOf } from "../stores/records-table.ts";
import { addBudget } from "./account-alarms.ts";
import { type AlarmRow, awsMetric, dailyFunctions, type MonitoredResources } from "./alarm-row.ts";
import { alarmNameOf } from "./runbook.ts";

/** Read actions for which AWS has no narrower name. */
const looks = [
  "acm:DescribeCertificate",
  "apigateway:GET",
  "backup:Describe*",
  "backup:List*",
  "cloudformation:Describe*",
  "cloudformation:List*",
  "cloudfront:GetDistribution",
  "cloudfront:ListDistributions",
  "cloudtrail:LookupEvents",
  "cloudwatch:Describe*",
  "cloudwatch:Get*",
  "cloudwatch:List*",
  "codedeploy:BatchGet*",
  "codedeploy:Get*",
  "codedeploy:List*",
  "dynamodb:Describe*",
  "dynamodb:ListTables",
  "health:Describe*",
  "lambda:GetAccountSettings",
  "lambda:List*",
  "logs:Describe*",
  "logs:GetQueryResults",
  "logs:StopQuery",
  "route53:GetHealthCheckStatus",
  "route53:ListHealthChecks",
  "scheduler:List*",
  "servicequotas:Get*",
  "servicequotas:List*",
  "ses:Get*",
  "ses:List*",
  "sns:GetSMSAttributes",
  "sns:GetSMSSandboxAccountStatus",
  "sns:ListSubscriptionsByTopic",
  "sqs:GetQueueUrl",
  "sqs:ListQueues",
];

const changesOfCopies = [
  "dynamodb:GetItem",
  "dynamodb:Query",
  "dynamodb:Scan",
  "dynamodb:BatchWriteItem",
  "dynamodb:PutItem",
  "dynamodb:UpdateItem",
  "dynamodb:DeleteItem",
  "dynamodb:DeleteTable",
];

/**
 * The role for answering the stage's alarms. It may look at everything and do what the runbook says short of a deploy.
 * It reads no secret, because the keys would let it act as any user. It reads neither the live table nor its stream,
 * but every item of a copy that it restores. Replacing a key, switching to another table and reading the stream are
 * left to administrators, repairing records to the role for that. This construct also adds the account's budget.
 */
export class OnCall extends Construct {
  readonly #stage: WatchedStage;

  constructor(scope: Construct, id: string, props: MonitoredResources) {
    super(scope, id);
    this.#stage = props.stage;
    const role = new InlineRole(this, "Role", {
      assumedBy: peopleOf(props.stage),
      roleName: namesOf(props.stage.name).onCallRole(Stack.of(this).region),
    });
    const rights = [
      allow(looks, "*"),
      viaSns(),
      ...this.#logRights(),
      ...queueRights(props),
      ...this.#functionRights(props),
      ...this.#tableRights(),
      allow(
        ["cloudwatch:SetAlarmState"],
        ...testedAlarms.map((id) => this.#arn("cloudwatch", `alarm:${alarmNameOf(this.#stage, id)}`)),
        this.#globalArn("cloudwatch", `alarm:${alarmNameOf(this.#stage, outsideAlarm)}`),
      ),
      allow(
        ["wafv2:GetSampledRequests"],
        this.#globalArn("wafv2", `global/webacl/${namesOf(props.stage.name).firewall}/*`),
      ),
      // Which commit a build is of, which a stack names.
      allow(["ssm:GetParameterHistory"], this.#arn("ssm", `parameter${namesOf(props.stage.name).release}`)),
      new iam.PolicyStatement({ effect: iam.Effect.DENY, actions: ["secretsmanager:*"], resources: ["*"] }),
    ];
    for (const statement of rights) role.addToPrincipalPolicy(statement);
    addBudget(this, props.stage);
  }

  #logRights(): iam.PolicyStatement[] {
    const { account, region } = Stack.of(this);
    const read = ["logs:FilterLogEvents", "logs:GetLogEvents"];
    return [
      // By tag, because another stage's name may begin with this one's.
      this.#allowTagged(
        ["logs:StartQuery", ...read],
        this.#arn("logs", `log-group:/aws/lambda/${functionNameOf(this.#stage.name, "*")}`),
        this.#arn("logs", `log-group:${namesOf(this.#stage.name).accessLogs}:*`),
      ),
      // The account's log, which is of every stage.
      allow(read, this.#arn("logs", `log-group:${smsFailureLog({ account, region })}:*`)),
    ];
  }

  #functionRights({ queues, functions }: MonitoredResources): iam.PolicyStatement[] {
    const arnOf = (name: string) => this.#arn("lambda", `function:${functionNameOf(this.#stage.name, name)}`);
    const consumers = [...queues.map(({ row }) => row.worker), ...streamConsumers];
    const mappings = allow(["lambda:UpdateEventSourceMapping"], this.#arn("lambda", "event-source-mapping:*"));
    mappings.addCondition("ArnLike", { "lambda:FunctionArn": consumers.map(arnOf) });
    // After a missed run.
    const invocations = allow(["lambda:InvokeFunction"], ...dailyFunctions({ functions }).map(arnOf));
    return [
      invocations,
      mappings,
      // `npm run rollback` moves aliases; stopping a deployment ends a canary.
      this.#allowTagged(["lambda:GetAlias", "lambda:UpdateAlias"], arnOf("*")),
      this.#allowTagged(["codedeploy:StopDeployment"], this.#arn("codedeploy", "deploymentgroup:*")),
    ];
  }

  /** The rights of a restore: to make copies beside the live table and read lost records from them. */
  #tableRights(): iam.PolicyStatement[] {
    const { restoreRole } = namesOf(this.#stage.name);
    const live = this.#arn("dynamodb", `table/${tableNameOf(this.#stage)}`);
    const restored = `${live}-*`;
    const { partition, account, region } = Stack.of(this);
    return [
      allow(["dynamodb:RestoreTableToPointInTime", "dynamodb:RestoreTableFromAwsBackup"], live, restored),
      allow(changesOfCopies, restored),
      this.#allowTagged(["backup:StartRestoreJob"], this.#arn("backup", "recovery-point:*")),
      allow(["iam:PassRole"], `arn:${partition}:iam::${account}:role/${restoreRole(region)}`),
    ];
  }

  #arn(service: string, resource: string, region = Stack.of(this).region): string {
    return Stack.of(this).formatArn({ service, resource, region });
  }

  /** The stacks beside the stage are in us-east-1. */
  #globalArn(service: string, resource: string): string {
    return this.#arn(service, resource, "us-east-1");
  }

  /** Allows actions only on this stage's resources, by tag, where names do not distinguish stages. */
  #allowTagged(actions: string[], ...resources: string[]): iam.PolicyStatement {
    const statement = allow(actions, ...resources);
    statement.addCondition("StringEquals", { "aws:ResourceTag/stage": this.#stage.name });
    return statement;
  }
}

function allow(actions: string[], ...resources: string[]): iam.PolicyStatement {
  return new iam.PolicyStatement({ actions, resources });
}

/** Messages may be read and deleted in every queue, and moved back into those that an operator redrives. */
function queueRights({ queues, quarantine, undelivered }: MonitoredResources): iam.PolicyStatement[] {
  const all = [...queues.flatMap(({ queue, deadLetters }) => [queue, deadLetters]), quarantine, undelivered];
  return [
    allowOn(all, "GetQueueAttributes", "ReceiveMessage", "DeleteMessage", "PurgeQueue"),
    ...redriveRights(queuesOf(queues, "operator")),
  ];
}

function queuesOf(queues: readonly WorkQueue[], redrive: QueueRow["redrive"]): WorkQueue[] {
  return queues.filter(({ row }) => row.redrive === redrive);
}

/** The rights to move dead letters back, beside those to read and delete them. */
function redriveRights(redriven: readonly WorkQueue[]): iam.PolicyStatement[] {
  const [from, into] = [redriven.map(({ deadLetters }) => deadLetters), redriven.map(({ queue }) => queue)];
  return [allowOn(from, "StartMessageMoveTask", "ListMessageMoveTasks"), allowOn(into, "SendMessage")];
}

/** The least that IAM takes as a role's longest session. */
const longestSession = Duration.hours(1);

/** The indexes that a recount and the history of a change are read from. */
const readIndexes = ["by-company", "by-company-month", "by-month", "by-total"];

/**
 * The attributes that the history reads of users: whether they exist, and their names, which are a part of `record`. What
 * proves who a client is, such as sessions' seeds, devices' tokens and hashes, has other names.
 */
const readOfUsers = ["pk", "sk", "schema_version", "id", "record", "removed_at"];

/** The resources that the repair role works on. */
export interface RepairedResources extends Pick<MonitoredResources, "stage" | "queues" | "undelivered"> {
  readonly table: ITableV2;
}

/**
 * The role for repairing records of the live table: recount, history, import of companies, jobs, invoices and
 * timesheets, dead letters that change records or say anything to users, and SES's suppression list. It reads users for
 * their names but writes none, because a role in a user's record is a right; of the history it writes the runs of imports
 * alone. It reaches no other guarded partition and no secret. A session ends after an hour, and a rule counts each, for an
 * alarm.
 */
export class RepairRole extends Construct {
  constructor(scope: Construct, id: string, { stage, table, queues, undelivered }: RepairedResources) {
    super(scope, id);
    const { repairRole, repairRule } = namesOf(stage.name);
    const { region } = Stack.of(this);
    const role = new InlineRole(this, "Role", {
      // The rule sees calls of STS in its own region alone.
      assumedBy: peopleOf(stage, { StringEquals: { "aws:RequestedRegion": region } }),
      roleName: repairRole(region),
      maxSessionDuration: longestSession,
    });
    const redriven = queuesOf(queues, "repair");
    const read = [...redriven.map(({ deadLetters }) => deadLetters), undelivered];
    const rights = [
      ...rightsTo(table),
      allowOn(read, "GetQueueAttributes", "ReceiveMessage", "DeleteMessage"),
      ...redriveRights(redriven),
      // The runbook's commands find the queues by it.
      allow(["cloudformation:ListStackResources"], Stack.of(this).stackId),
    ];
    for (const statement of rights) role.addToPrincipalPolicy(statement);
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

/** The alarm of each session. It needs a trail of CloudTrail in the account. */
export function repairRoleAlarm({ stage }: MonitoredResources): AlarmRow[] {
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

function rightsTo({ tableArn }: ITableV2): iam.PolicyStatement[] {
  const onTable = (actions: string[], conditions?: object) =>
    new iam.PolicyStatement({
      actions: actions.map((each) => `dynamodb:${each}`),
      resources: [tableArn],
      conditions,
    });
  return [
    onTable(["DescribeTable"]),
    onTable(["GetItem", "BatchGetItem", "Query"], keepOut(["HISTORY#"])),
    onTable(["BatchGetItem"], onlyAttributesIn("USER#*", readOfUsers)),
    onTable(["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"], keepOut([])),
    onTable(["BatchWriteItem"], onlyIn("HISTORY#IMPORT#*")),
    new iam.PolicyStatement({
      actions: ["dynamodb:Query"],
      resources: readIndexes.map((index) => `${tableArn}/index/${index}`),
      conditions: outsideOf(["HISTORY#"]),
    }),
    // An address on the list has no ARN.
    new iam.PolicyStatement({
      actions: ["ses:GetSuppressedDestination", "ses:DeleteSuppressedDestination"],
      resources: ["*"],
    }),
    new iam.PolicyStatement({ effect: iam.Effect.DENY, actions: ["secretsmanager:*"], resources: ["*"] }),
  ];
}

/**
 * The people who may take a role, as far as their own policies allow it: those of the account who have shown a second
 * factor, and the stage's `onCallPrincipals`. A session of IAM Identity Center never has the key for a factor:
 * Identity Center asks for one itself. `conditions` hold for all.
 */
function peopleOf(
  { onCallPrincipals = [] }: Pick<Stage, "onCallPrincipals">,
  conditions: iam.Conditions = {},
): iam.IPrincipal {
  const withFactor = { Bool: { "aws:MultiFactorAuthPresent": "true" }, ...conditions };
  return new iam.CompositePrincipal(
    new iam.AccountRootPrincipal().withConditions(withFactor),
    ...onCallPrincipals.map((arn) =>
      new iam.AccountPrincipal(arn.split(":")[4]).withConditions({ ...onlyOf(arn), ...conditions }),
    ),
  );
}

/**
 * The end that Identity Center gives a role's name has no underscore: another permission set, whose name begins with
 * this one's and an underscore, is kept out.
 */
function onlyOf(arn: string): iam.Conditions {
  const named = { ArnLike: { "aws:PrincipalArn": arn } };
  return arn.endsWith("_*") ? { ...named, ArnNotLike: { "aws:PrincipalArn": `${arn}_*` } } : named;
}
