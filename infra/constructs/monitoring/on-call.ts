import { Stack } from "aws-cdk-lib";
import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { dailyFunctions } from "../../functions/service-table.ts";
import { streamConsumers } from "../../functions/stream-filters.ts";
import { functionNameOf, namesOf, outsideAlarm, smsFailureLog, tableNameOf, testedAlarms } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { InlineRole } from "../compute/inline-role.ts";
import type { WebhookQueue } from "../webhooks/webhooks.ts";
import { addBudget } from "./account-alarms.ts";
import type { MonitoredResources } from "./alarm-row.ts";
import { peopleOf } from "./people.ts";
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
  readonly #stage: Stage;

  constructor(scope: Construct, id: string, props: MonitoredResources) {
    super(scope, id);
    this.#stage = props.stage;
    const role = new InlineRole(this, "Role", {
      assumedBy: peopleOf(props.stage),
      roleName: namesOf(props.stage.name).onCallRole(Stack.of(this).region),
    });
    const rights = [
      allow(looks, "*"),
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
      // `npm run explain` looks up releases beside the logs.
      allow(["ssm:GetParameterHistory"], this.#arn("ssm", `parameter${namesOf(props.stage.name).release}`)),
      new PolicyStatement({ effect: Effect.DENY, actions: ["secretsmanager:*"], resources: ["*"] }),
    ];
    for (const statement of rights) role.addToPrincipalPolicy(statement);
    addBudget(this, props.stage);
  }

  #logRights(): PolicyStatement[] {
    const { account, region } = Stack.of(this);
    const read = ["logs:FilterLogEvents", "logs:GetLogEvents"];
    return [
      // By tag, because another stage's name may begin with this one's.
      this.#allowTagged(
        ["logs:StartQuery", ...read],
        this.#arn("logs", `log-group:/aws/lambda/${functionNameOf(this.#stage.name, "*")}`),
        this.#arn("logs", `log-group:${namesOf(this.#stage.name).accessLogs}:*`),
      ),
      // The account's log, whichever stage sets the SMS settings.
      allow(read, this.#arn("logs", `log-group:${smsFailureLog({ account, region })}:*`)),
    ];
  }

  #functionRights({ queues, service }: MonitoredResources): PolicyStatement[] {
    const arnOf = (name: string) => this.#arn("lambda", `function:${functionNameOf(this.#stage.name, name)}`);
    const consumers = [...queues.map(({ row }) => row.worker), ...streamConsumers];
    const mappings = allow(["lambda:UpdateEventSourceMapping"], this.#arn("lambda", "event-source-mapping:*"));
    mappings.addCondition("ArnLike", { "lambda:FunctionArn": consumers.map(arnOf) });
    // After a missed run.
    const invocations = allow(["lambda:InvokeFunction"], ...dailyFunctions(service).map(arnOf));
    return [
      invocations,
      mappings,
      // `npm run rollback` moves aliases; stopping a deployment ends a canary.
      this.#allowTagged(["lambda:GetAlias", "lambda:UpdateAlias"], arnOf("*")),
      this.#allowTagged(["codedeploy:StopDeployment"], this.#arn("codedeploy", "deploymentgroup:*")),
    ];
  }

  /** The rights of a restore: to make copies beside the live table and read lost records from them. */
  #tableRights(): PolicyStatement[] {
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
    const { partition, account } = Stack.of(this);
    return `arn:${partition}:${service}:${region}:${account}:${resource}`;
  }

  /** The stacks beside the stage are in us-east-1. */
  #globalArn(service: string, resource: string): string {
    return this.#arn(service, resource, "us-east-1");
  }

  /** Allows actions only on this stage's resources, by tag, where names do not distinguish stages. */
  #allowTagged(actions: string[], ...resources: string[]): PolicyStatement {
    const statement = allow(actions, ...resources);
    statement.addCondition("StringEquals", { "aws:ResourceTag/stage": this.#stage.name });
    return statement;
  }
}

function allow(actions: string[], ...resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources });
}

/**
 * Messages may be read and deleted in every queue, and moved back into those that an operator redrives. The role sends none to
 * webhooks' queues, whose messages are signed as the bus's (D42).
 */
function queueRights({ queues, webhooks, quarantine, undelivered }: MonitoredResources): PolicyStatement[] {
  const both = ({ queue, deadLetters }: Pick<WebhookQueue, "queue" | "deadLetters">) => [queue, deadLetters];
  const all = [...queues.flatMap(both), quarantine, undelivered, ...webhooks.flatMap(both)];
  const redriven = queues.filter(({ row }) => row.redrive === "operator");
  const on = (actions: string[], some: readonly Queue[]) =>
    allow(
      actions.map((each) => `sqs:${each}`),
      ...some.map(({ queueArn }) => queueArn),
    );
  return [
    on(["GetQueueAttributes", "ReceiveMessage", "DeleteMessage", "PurgeQueue"], all),
    on(
      ["StartMessageMoveTask", "ListMessageMoveTasks"],
      redriven.map(({ deadLetters }) => deadLetters),
    ),
    on(
      ["SendMessage"],
      redriven.map(({ queue }) => queue),
    ),
  ];
}
