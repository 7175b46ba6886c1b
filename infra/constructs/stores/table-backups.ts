import { Duration, Stack } from "aws-cdk-lib";
import * as backup from "aws-cdk-lib/aws-backup";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { type CronOptions, Schedule } from "aws-cdk-lib/aws-events";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { removalPolicyOf } from "./removal.ts";

interface TableBackupsProps {
  readonly stage: Pick<Stage, "name" | "removal"> & BackupSettings;
  readonly table: TableV2;
}

type BackupSettings = Pick<Stage, "backupKeptDays" | "backupLockDays" | "backupCopyTo">;

/** The number of copies of the table that exist at a time, those in another place among them. */
export function copiesKept({ backupKeptDays = 0, backupLockDays = 0, backupCopyTo }: BackupSettings): number {
  const weekly = backupKeptDays > backupLockDays ? backupKeptDays / 7 : 0;
  return (backupLockDays + weekly) * (backupCopyTo === undefined ? 1 : 2);
}

/** A sentence on what a stage's lock keeps from being deleted, and until when; undefined without a lock. */
export function describeLock({
  name,
  backupKeptDays = 0,
  backupLockDays,
}: BackupSettings & Pick<Stage, "name">): string | undefined {
  if (backupLockDays === undefined) return undefined;
  const weekly = backupKeptDays > backupLockDays ? ` (a weekly one ${backupKeptDays})` : "";
  return `No backup in the vault ${namesOf(name).backupVault} can be deleted before it is ${backupLockDays} days old${weekly}, except by who may remove the lock first (backup:DeleteBackupVaultLockConfiguration).`;
}

/**
 * Backups of the table for cases that point-in-time recovery does not cover: a lost account or region, or a mistake that
 * nobody noticed for 35 days. Each is a full copy: one a week, and one a night where a lock keeps them from being deleted.
 * The vault is encrypted with the account's key for AWS Backup. A restore needs the role. The vault is there also in a stage
 * without backups, free of charge: one that stays behind when they end would keep its name taken.
 */
export class TableBackups extends Construct {
  constructor(scope: Construct, id: string, { stage, table }: TableBackupsProps) {
    super(scope, id);
    const { backupVault: backupVaultName, restoreRole } = namesOf(stage.name);
    const { backupKeptDays: keptDays, backupLockDays, backupCopyTo } = stage;
    const backupVault = new backup.BackupVault(this, "Vault", {
      backupVaultName,
      removalPolicy: removalPolicyOf(stage.removal),
      // Governance mode: with `changeableFor`, nobody could ever remove the lock.
      ...(backupLockDays !== undefined && { lockConfiguration: { minRetention: Duration.days(backupLockDays) } }),
    });
    if (keptDays === undefined) return;
    const plan = new backup.BackupPlan(this, "Plan", {
      backupPlanName: `${Stack.of(this).stackName}-table`,
      backupVault,
    });
    const copyTo = backupCopyTo && backup.BackupVault.fromBackupVaultArn(this, "CopyTo", backupCopyTo);
    const addRule = (ruleName: string, days: number, time: CronOptions) => {
      const deleteAfter = Duration.days(days);
      const rule = new backup.BackupPlanRule({
        ruleName,
        // The role on call restores copies by this tag, because their names are generated.
        recoveryPointTags: { stage: stage.name },
        ...(copyTo && { copyActions: [{ destinationBackupVault: copyTo, deleteAfter }] }),
        scheduleExpression: Schedule.cron(time),
        startWindow: Duration.hours(1),
        completionWindow: Duration.hours(6),
        deleteAfter,
      });
      plan.addRule(rule);
    };
    if (backupLockDays !== undefined) addRule("daily", backupLockDays, { hour: "2", minute: "0" });
    if (keptDays > (backupLockDays ?? 0)) addRule("weekly", keptDays, { weekDay: "SUN", hour: "2", minute: "0" });
    plan.addSelection("Table", { resources: [backup.BackupResource.fromArn(table.tableArn)] });
    new Role(this, "RestoreRole", {
      roleName: restoreRole(Stack.of(this).region),
      description: "What AWS Backup restores the table with",
      assumedBy: new ServicePrincipal("backup.amazonaws.com"),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName("service-role/AWSBackupServiceRolePolicyForRestores")],
    });
  }
}
