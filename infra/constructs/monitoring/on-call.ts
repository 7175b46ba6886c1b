import { Stack } from "aws-cdk-lib";
import { AccountRootPrincipal, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { ByQueue } from "../../functions/queues.ts";
import { streamConsumers } from "../../functions/stream-filters.ts";
import { functionNameOf, namesOf, smsFailureLog } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { InlineRole } from "../compute/inline-role.ts";
import type { WorkQueue } from "../compute/work-queue.ts";
import { addBudget } from "./account-budget.ts";

/** What a person may invoke: the daily work that has not run. */
const scheduled = ["mark-overdue", "rotate-signing-key", "reconcile-totals"];

/** Reads that AWS has no narrower name for. */
const looks = [
  "acm:DescribeCertificate",
  "apigateway:GET",
  "backup:Describe*",
  "backup:List*",
  "cloudformation:Describe*",
  "cloudformation:List*",
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
  "sqs:GetQueueUrl",
  "sqs:ListQueues",
];

/** What is done with a restored copy of the table. */
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

/** What the role on call has rights to. */
export interface OnCallProps {
  readonly stage: Stage;
  readonly queues: ByQueue<WorkQueue>;
  /** Those that it sends nothing to: no function consumes them, or what is in them is signed as the bus's (D42). */
  readonly otherQueues: readonly Queue[];
}

/**
 * The role of whoever answers the stage's alarms: it looks at everything, and does what the runbook says beside a deploy. It
 * reads no secret, as whoever reads the keys can be any user, and neither the live table nor its stream, but every item of a
 * copy that it restores. Whoever replaces a key, cuts over to a table or reads the stream is an administrator. Anybody of the account may
 * take it whose policy allows it, with a second factor. The account's budget is watched here, too.
 */
export class OnCall extends Construct {
  readonly #stage: Stage;

  constructor(scope: Construct, id: string, props: OnCallProps) {
    super(scope, id);
    this.#stage = props.stage;
    const withFactor = new AccountRootPrincipal().withConditions({ Bool: { "aws:MultiFactorAuthPresent": "true" } });
    const role = new InlineRole(this, "Role", {
      assumedBy: withFactor,
      roleName: namesOf(props.stage.name).onCallRole,
    });
    const rights = [
      allow(looks, "*"),
      ...this.#logRights(),
      ...queueRights(props),
      ...this.#functionRights(props),
      ...this.#tableRights(),
      // What `npm run explain` looks up beside the logs.
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
      // Another stage's name may begin with this one's.
      this.#allowTagged(
        ["logs:StartQuery", ...read],
        this.#arn("logs", `log-group:/aws/lambda/${functionNameOf(this.#stage.name, "*")}`),
        this.#arn("logs", `log-group:${namesOf(this.#stage.name).accessLogs}:*`),
      ),
      // The account's, whichever of its stages owns the settings of SMS.
      allow(read, this.#arn("logs", `log-group:${smsFailureLog({ account, region })}:*`)),
    ];
  }

  #functionRights({ queues }: OnCallProps): PolicyStatement[] {
    const arnOf = (name: string) => this.#arn("lambda", `function:${functionNameOf(this.#stage.name, name)}`);
    const consumers = [...Object.values(queues).map(({ worker }) => worker), ...streamConsumers];
    const mappings = allow(["lambda:UpdateEventSourceMapping"], this.#arn("lambda", "event-source-mapping:*"));
    mappings.addCondition("ArnLike", { "lambda:FunctionArn": consumers.map(arnOf) });
    const invocations = allow(["lambda:InvokeFunction"], ...scheduled.map(arnOf));
    return [
      invocations,
      mappings,
      // What `npm run rollback` does beside looking, and the end of a canary that is under way.
      this.#allowTagged(["lambda:GetAlias", "lambda:UpdateAlias"], arnOf("*")),
      this.#allowTagged(["codedeploy:StopDeployment"], this.#arn("codedeploy", "deploymentgroup:*")),
    ];
  }

  /** What a restore takes: copies beside the live table, to read what was lost from. */
  #tableRights(): PolicyStatement[] {
    const { table, restoreRole } = namesOf(this.#stage.name);
    const live = this.#arn("dynamodb", `table/${table}`);
    const restored = `${live}-*`;
    const { partition, account } = Stack.of(this);
    return [
      allow(["dynamodb:RestoreTableToPointInTime", "dynamodb:RestoreTableFromAwsBackup"], live, restored),
      allow(changesOfCopies, restored),
      this.#allowTagged(["backup:StartRestoreJob"], this.#arn("backup", "recovery-point:*")),
      allow(["iam:PassRole"], `arn:${partition}:iam::${account}:role/${restoreRole}`),
    ];
  }

  #arn(service: string, resource: string): string {
    const { partition, account } = Stack.of(this);
    return `arn:${partition}:${service}:*:${account}:${resource}`;
  }

  /** Allows what is done with resources that are named after no stage, or after several, for those of this one. */
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
 * What waits in queues is looked at, dropped, and sent again to the queues that are redriven. Pins never are, they expire; events
 * by an administrator alone: whatever is in their queue goes out in the service's name.
 */
function queueRights({ queues, otherQueues }: OnCallProps): PolicyStatement[] {
  const all = Object.values(queues).flatMap(({ queue, deadLetters }) => [queue, deadLetters]);
  const redriven = Object.values(queues).filter((each) => each !== queues.pins && each !== queues.events);
  const actions = ["GetQueueAttributes", "ReceiveMessage", "DeleteMessage", "PurgeQueue"];
  const moving = ["StartMessageMoveTask", "ListMessageMoveTasks"];
  return [
    allow(
      [...actions, ...moving].map((each) => `sqs:${each}`),
      ...[...all, ...otherQueues].map(({ queueArn }) => queueArn),
    ),
    allow(["sqs:SendMessage"], ...redriven.map(({ queue }) => queue.queueArn)),
  ];
}
