import { Duration, Stack } from "aws-cdk-lib";
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from "aws-cdk-lib/aws-backup";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Schedule } from "aws-cdk-lib/aws-events";
import { Construct } from "constructs";
import type { Stage } from "../../stages/stages.ts";
import { removalPolicyOf } from "./removal.ts";

/** What backups are made from. */
export interface TableBackupsProps extends Pick<Stage, "removal"> {
  readonly table: TableV2;
  readonly keptDays: number;
}

/**
 * A backup of the table every night, for what point-in-time recovery does not reach: a table that was deleted, or a mistake
 * that nobody saw for 35 days. The vault is encrypted with the account's key for AWS Backup.
 */
export class TableBackups extends Construct {
  constructor(scope: Construct, id: string, { table, keptDays, removal }: TableBackupsProps) {
    super(scope, id);
    const plan = new BackupPlan(this, "Plan", {
      backupPlanName: `${Stack.of(this).stackName}-table`,
      backupVault: new BackupVault(this, "Vault", { removalPolicy: removalPolicyOf(removal) }),
    });
    plan.addRule(
      new BackupPlanRule({
        ruleName: "daily",
        scheduleExpression: Schedule.cron({ hour: "2", minute: "0" }),
        startWindow: Duration.hours(1),
        completionWindow: Duration.hours(6),
        deleteAfter: Duration.days(keptDays),
      }),
    );
    plan.addSelection("Table", { resources: [BackupResource.fromArn(table.tableArn)] });
  }
}
