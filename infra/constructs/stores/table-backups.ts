import { Duration, Stack } from "aws-cdk-lib";
import {
  BackupPlan,
  BackupPlanRule,
  type BackupPlanRuleProps,
  BackupResource,
  BackupVault,
} from "aws-cdk-lib/aws-backup";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Schedule } from "aws-cdk-lib/aws-events";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { removalPolicyOf } from "./removal.ts";

/** Every copy is a whole one: each night's is kept for a week only. */
const nightlyKeptDays = 7;

/** What backups are made from. */
interface TableBackupsProps {
  readonly stage: Pick<Stage, "name" | "removal">;
  readonly table: TableV2;
  readonly keptDays: number;
}

/** How many copies of the table there are at a time, where backups are kept for so many days. */
export function copiesKept(days: number): number {
  return days <= nightlyKeptDays ? days : nightlyKeptDays + days / 7;
}

/**
 * Backups of the table, for what point-in-time recovery does not reach: a table that was deleted, or a mistake that nobody
 * saw for 35 days. The vault is encrypted with the account's key for AWS Backup. The role is the one that a restore needs.
 */
export class TableBackups extends Construct {
  constructor(scope: Construct, id: string, { stage, table, keptDays }: TableBackupsProps) {
    super(scope, id);
    const { backupVault, restoreRole } = namesOf(stage.name);
    const plan = new BackupPlan(this, "Plan", {
      backupPlanName: `${Stack.of(this).stackName}-table`,
      backupVault: new BackupVault(this, "Vault", {
        backupVaultName: backupVault,
        removalPolicy: removalPolicyOf(stage.removal),
      }),
    });
    // The role on call restores by it: a copy's own name is generated.
    const recoveryPointTags = { stage: stage.name };
    const daily = copyRule("daily", Math.min(keptDays, nightlyKeptDays), { hour: "2", minute: "0" });
    plan.addRule(new BackupPlanRule({ ...daily, recoveryPointTags }));
    if (keptDays > nightlyKeptDays) {
      const weekly = copyRule("weekly", keptDays, { weekDay: "SUN", hour: "2", minute: "0" });
      plan.addRule(new BackupPlanRule({ ...weekly, recoveryPointTags }));
    }
    plan.addSelection("Table", { resources: [BackupResource.fromArn(table.tableArn)] });
    new Role(this, "RestoreRole", {
      roleName: restoreRole,
      description: "What AWS Backup restores the table with",
      assumedBy: new ServicePrincipal("backup.amazonaws.com"),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName("service-role/AWSBackupServiceRolePolicyForRestores")],
    });
  }
}

function copyRule(ruleName: string, keptDays: number, time: Parameters<typeof Schedule.cron>[0]): BackupPlanRuleProps {
  return {
    ruleName,
    scheduleExpression: Schedule.cron(time),
    startWindow: Duration.hours(1),
    completionWindow: Duration.hours(6),
    deleteAfter: Duration.days(keptDays),
  };
}
