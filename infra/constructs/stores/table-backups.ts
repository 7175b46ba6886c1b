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

/** Every backup is a full copy, so a nightly one is kept for only a week. */
const nightlyKeptDays = 7;

/** The properties of backups. */
interface TableBackupsProps {
  readonly stage: Pick<Stage, "name" | "removal">;
  readonly table: TableV2;
  readonly keptDays: number;
}

/** The number of copies of the table that exist at a time if backups are kept for so many days. */
export function copiesKept(days: number): number {
  return days <= nightlyKeptDays ? days : nightlyKeptDays + days / 7;
}

/**
 * Backups of the table for cases that point-in-time recovery does not cover: a deleted table, or a mistake that nobody
 * noticed for 35 days. The vault is encrypted with the account's key for AWS Backup. A restore needs the role.
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
    // The role on call restores copies by this tag, because their names are generated.
    const recoveryPointTags = { stage: stage.name };
    const daily = copyRule("daily", Math.min(keptDays, nightlyKeptDays), { hour: "2", minute: "0" });
    plan.addRule(new BackupPlanRule({ ...daily, recoveryPointTags }));
    if (keptDays > nightlyKeptDays) {
      const weekly = copyRule("weekly", keptDays, { weekDay: "SUN", hour: "2", minute: "0" });
      plan.addRule(new BackupPlanRule({ ...weekly, recoveryPointTags }));
    }
    plan.addSelection("Table", { resources: [BackupResource.fromArn(table.tableArn)] });
    new Role(this, "RestoreRole", {
      roleName: restoreRole(Stack.of(this).region),
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
