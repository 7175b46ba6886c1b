import { Stack } from "aws-cdk-lib";
import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import { AccountRootPrincipal, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { InlineRole } from "../compute/inline-role.ts";

const warnAtPercent = 80;

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

/**
 * The role of whoever answers the stage's alarms: it looks at everything, and does what the runbook says beside a deploy. It
 * reads no secret, as whoever reads the keys can be any user; whoever replaces a key or cuts over to a table is an
 * administrator. Anybody of the account may take it whose policy allows it, with a second factor. The account's budget is watched here, too.
 */
export class OnCall extends Construct {
  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    const withFactor = new AccountRootPrincipal().withConditions({ Bool: { "aws:MultiFactorAuthPresent": "true" } });
    const role = new InlineRole(this, "Role", { assumedBy: withFactor, roleName: namesOf(stage.name).onCallRole });
    for (const statement of this.#rights(stage)) role.addToPrincipalPolicy(statement);
    this.#addBudget(stage);
  }

  #rights({ name }: Stage): PolicyStatement[] {
    const { stack, table, accessLogs, backupVault, restoreRole } = namesOf(name);
    const arn = (service: string, resource: string) =>
      `arn:${Stack.of(this).partition}:${service}:*:${Stack.of(this).account}:${resource}`;
    const allow = (actions: string[], ...resources: string[]) => new PolicyStatement({ actions, resources });
    const logs = [arn("logs", `log-group:/aws/lambda/workforce-${name}-*`), arn("logs", `log-group:${accessLogs}:*`)];
    const restored = arn("dynamodb", `table/${table}-*`);
    return [
      allow(looks, "*"),
      allow(["logs:StartQuery", "logs:FilterLogEvents", "logs:GetLogEvents"], ...logs),
      // Queues have generated names, which begin with the stack's.
      allow(
        [
          "sqs:GetQueueAttributes",
          "sqs:ReceiveMessage",
          "sqs:SendMessage",
          "sqs:DeleteMessage",
          "sqs:PurgeQueue",
          "sqs:StartMessageMoveTask",
          "sqs:ListMessageMoveTasks",
        ],
        arn("sqs", `${stack}-*`),
      ),
      allow(
        ["lambda:InvokeFunction"],
        ...["mark-overdue", "rotate-signing-key", "reconcile-totals"].map((each) =>
          arn("lambda", `function:workforce-${name}-${each}`),
        ),
      ),
      allow(["dynamodb:GetRecords", "dynamodb:GetShardIterator"], arn("dynamodb", `table/${table}/stream/*`)),
      // What `npm run rollback` does beside looking.
      allow(["lambda:GetAlias", "lambda:UpdateAlias"], arn("lambda", `function:workforce-${name}-*`)),
      allow(["lambda:UpdateEventSourceMapping"], arn("lambda", "event-source-mapping:*")),
      // A copy beside the live table, to read what was lost from.
      allow(
        ["dynamodb:RestoreTableToPointInTime", "dynamodb:RestoreTableFromAwsBackup"],
        arn("dynamodb", `table/${table}`),
        restored,
      ),
      allow(
        [
          "dynamodb:GetItem",
          "dynamodb:Query",
          "dynamodb:Scan",
          "dynamodb:BatchWriteItem",
          "dynamodb:PutItem",
          "dynamodb:UpdateItem",
          "dynamodb:DeleteItem",
          "dynamodb:DeleteTable",
        ],
        restored,
      ),
      allow(
        ["backup:StartRestoreJob"],
        arn("backup", "recovery-point:*"),
        arn("backup", `backup-vault:${backupVault}`),
      ),
      allow(["iam:PassRole"], `arn:${Stack.of(this).partition}:iam::${Stack.of(this).account}:role/${restoreRole}`),
      new PolicyStatement({ effect: Effect.DENY, actions: ["secretsmanager:*"], resources: ["*"] }),
    ];
  }

  /** The budget is the account's; what AWS asks for two of them is nothing. */
  #addBudget({ name, monthlyBudgetDollars: dollars, alarmAddress: address }: Stage): void {
    if (dollars === undefined || address === undefined) return;
    const subscribers = [{ subscriptionType: "EMAIL", address }];
    new CfnBudget(this, "Budget", {
      budget: {
        budgetName: namesOf(name).stack,
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
}
