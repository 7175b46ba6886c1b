import { describe, expect, test } from "vitest";
import { copiesKept, describeLock } from "../../../../infra/constructs/stores/table-backups.ts";
import { namesOf } from "../../../../infra/stages/names.ts";
import { findStage, stageNames } from "../../../../infra/stages/stages.ts";
import { prices } from "../../../bench/costs/prices.ts";
import { arnOf, type Resource, readStack, stackOf, synthesizeAlone, useStack } from "../../stack.ts";
import { fullStage, ownedStage } from "../../stages/owned-stage.ts";

const stack = await useStack();
const full = stackOf("full");

test("the table can be restored to any second, drops what expired, and streams its changes", () => {
  const { Replicas, TimeToLiveSpecification, StreamSpecification } = stack.one("AWS::DynamoDB::GlobalTable").properties;
  expect(Replicas).toMatchObject([{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }]);
  expect(TimeToLiveSpecification).toEqual({ AttributeName: "expires_at", Enabled: true });
  expect(StreamSpecification).toEqual({ StreamViewType: "NEW_AND_OLD_IMAGES" });
});

test("a ceiling of write units holds for the table and each of its indexes; without the setting neither has one", () => {
  const { GlobalSecondaryIndexes: indexes, ...table } = full.one("AWS::DynamoDB::GlobalTable").properties;
  const ceiling = { MaxWriteRequestUnits: fullStage.writeUnitsPerSecond };
  expect(indexes).toHaveLength(6);
  for (const each of [table, ...indexes]) expect(each.WriteOnDemandThroughputSettings).toEqual(ceiling);
  const { properties } = stackOf("prod").one("AWS::DynamoDB::GlobalTable");
  expect(JSON.stringify(properties)).not.toContain("OnDemandThroughput");
});

// A first deploy that fails leaves nothing behind that would stop the second.
test.each([
  ["dev", "Delete", undefined],
  ["staging", "RetainExceptOnCreate", "Retain"],
  ["prod", "RetainExceptOnCreate", "Retain"],
])("the table and secrets of %s meet %s with their stack; a deploy that replaces them finds their names taken", (name, whenDeleted, whenReplaced) => {
  const named = stackOf(name).all("AWS::SecretsManager::Secret");
  expect(named.map(({ properties }) => properties.Name)).toEqual([
    `workforce/${name}/hmac-key`,
    `workforce/${name}/signing-keys`,
  ]);
  const stores = [...stackOf(name).all("AWS::DynamoDB::GlobalTable"), ...named];
  for (const { id, properties, deletionPolicy, updateReplacePolicy } of stores) {
    expect(deletionPolicy, id).toBe(whenDeleted);
    if (whenReplaced) expect(updateReplacePolicy, id).toBe(whenReplaced);
    expect(properties.TableName ?? properties.Name, id).toMatch(new RegExp(`^workforce[/-]${name}[/-]`));
  }
});

test("copies of the table are in a vault with a fixed name, which outlasts the stack; AWS Backup may restore them", () => {
  const { one, all } = stackOf("prod");
  const vault = one("AWS::Backup::BackupVault");
  const rules: object[] = one("AWS::Backup::BackupPlan").properties.BackupPlan.BackupPlanRule;
  const TargetBackupVault = { "Fn::GetAtt": [vault.id, "BackupVaultName"] };
  expect(rules).toMatchObject([{ RuleName: "weekly", TargetBackupVault, ScheduleExpression: "cron(0 2 ? * SUN *)" }]);
  expect(vault).toMatchObject({
    deletionPolicy: "RetainExceptOnCreate",
    properties: { BackupVaultName: namesOf("prod").backupVault },
  });
  const { Resources } = one("AWS::Backup::BackupSelection").properties.BackupSelection;
  expect(Resources).toEqual([arnOf(one("AWS::DynamoDB::GlobalTable"))]);
  const role = all("AWS::IAM::Role").find(({ properties }) =>
    /-restore"/.test(JSON.stringify(properties.RoleName) ?? ""),
  );
  const { Statement } = role?.properties.AssumeRolePolicyDocument ?? {};
  expect(Statement).toMatchObject([{ Effect: "Allow", Principal: { Service: "backup.amazonaws.com" } }]);
  expect(JSON.stringify(role?.properties.ManagedPolicyArns)).toContain("AWSBackupServiceRolePolicyForRestores");
  expect(() => stackOf("dev").all("AWS::Backup::BackupPlan")).toThrow();
});

test("a stage that keeps its data has the vault without backups, too: one that stays behind would keep its name taken", () => {
  const { backupKeptDays: _, ...stage } = ownedStage("staging");
  const { all, one } = readStack(synthesizeAlone({ stage }));
  expect(one("AWS::Backup::BackupVault").properties.BackupVaultName).toBe(namesOf("staging").backupVault);
  expect(() => all("AWS::Backup::BackupPlan")).toThrow();
  expect(() => stackOf("dev").all("AWS::Backup::BackupVault")).toThrow();
}, 60_000);

test("a copy that is missing is an alarm after 36 hours where copies are made each night, else after a week, AWS's longest", () => {
  const look = (name: string) => {
    const alarms = stackOf(name).all("AWS::CloudWatch::Alarm");
    const found = alarms.find(({ properties }) => String(properties.AlarmName).endsWith("-backup-missing"));
    const { Period, EvaluationPeriods, TreatMissingData } = found?.properties ?? {};
    return [(Period * EvaluationPeriods) / 3_600, TreatMissingData];
  };
  expect([look("full"), look("prod")]).toEqual([
    [36, "breaching"],
    [7 * 24, "breaching"],
  ]);
});

describe("what survives the account and the region", () => {
  const rules: Resource["properties"][] = full.one("AWS::Backup::BackupPlan").properties.BackupPlan.BackupPlanRule;

  test("a copy of every backup goes to the stage's other vault, and is kept as long as the backup", () => {
    expect(rules.map(({ RuleName }) => RuleName)).toEqual(["daily", "weekly"]);
    expect(rules[0]?.ScheduleExpression).toBe("cron(0 2 * * ? *)");
    for (const { Lifecycle, CopyActions } of rules)
      expect(CopyActions).toEqual([{ DestinationBackupVaultArn: fullStage.backupCopyTo, Lifecycle }]);
    expect(copiesKept(fullStage)).toBe(2 * copiesKept({ ...fullStage, backupCopyTo: undefined }));
  });

  test("a lock can be removed by those who may (governance mode), and no backup ends before it, or AWS Backup would make none", () => {
    const { LockConfiguration } = full.one("AWS::Backup::BackupVault").properties;
    expect(LockConfiguration).toEqual({ MinRetentionDays: 35 });
    expect(rules.map(({ Lifecycle }) => Lifecycle)).toEqual([{ DeleteAfterDays: 35 }, { DeleteAfterDays: 90 }]);
    expect(stackOf("prod").one("AWS::Backup::BackupVault").properties.LockConfiguration).toBeUndefined();
    expect(describeLock(fullStage)).toContain(
      "vault workforce-full can be deleted before it is 35 days old (a weekly one 90)",
    );
    expect(describeLock({ name: "x", backupKeptDays: 14, backupLockDays: 14 })).toContain(
      "before it is 14 days old, except",
    );
  });

  test("the secrets without which a restored table has no passcodes or sessions are in another region, too", () => {
    for (const start of ["HmacKey", "SigningKeys"])
      expect(full.one("AWS::SecretsManager::Secret", start).properties.ReplicaRegions, start).toEqual([
        { Region: fullStage.replicaRegions[0] },
      ]);
  });
});

test("copies and point-in-time recovery together cost at most 1.50 dollars a gigabyte of table and month", () => {
  const { backupPerGigabyteMonth, recoveryPerGigabyteMonth } = prices;
  const copies = copiesKept(findStage("prod"));
  // Thirteen weekly ones.
  expect(copies).toBeCloseTo(13, 0);
  expect([findStage("staging"), findStage("dev")].map(copiesKept)).toEqual([2, 0]);
  expect(copies * backupPerGigabyteMonth + recoveryPerGigabyteMonth).toBeLessThanOrEqual(1.5);
});

describe("D6, D9: a secret", () => {
  const { edgeSecret, hmacSecret, signingSecret } = namesOf("full");
  const key = { ExcludePunctuation: true, GenerateStringKey: "key", PasswordLength: 64 };
  /**
   * CloudFormation makes a new value of a secret whenever its GenerateSecretString changes, in whatever way: the HMAC key would
   * be overwritten, and every passcode and refresh token with it; the signing keys, and no token would be signed until the next
   * rotation; CloudFront would refuse what another key proves. A function or `npm run keys` changes
   * what is to change in a secret's value.
   */
  const generated: Readonly<Record<string, object>> = {
    [hmacSecret]: { ...key, SecretStringTemplate: '{"version":1}' },
    [signingSecret]: { GenerateStringKey: "unused", SecretStringTemplate: '{"keys":[]}' },
    [edgeSecret]: { ...key, GenerateStringKey: "current", SecretStringTemplate: '{"previous":""}' },
  };

  test.each([...stageNames, "full"])("of %s is generated as ever, in AWS: no template has its value", (stage) => {
    const secrets = stackOf(stage).all("AWS::SecretsManager::Secret");
    for (const { properties } of secrets) {
      const { Name, GenerateSecretString, SecretString } = properties;
      expect(GenerateSecretString, Name).toEqual(generated[Name.replace(`/${stage}/`, "/full/")]);
      expect(SecretString, Name).toBeUndefined();
    }
    if (stage === "full") expect(secrets).toHaveLength(Object.keys(generated).length);
  });

  test("of the edge goes with its setting although the stage keeps its data, in no other region: its name is free again", () => {
    const { deletionPolicy, updateReplacePolicy, properties } = full.one("AWS::SecretsManager::Secret", "EdgeSecret");
    expect([deletionPolicy, updateReplacePolicy, properties.ReplicaRegions]).toEqual(["Delete", "Delete", undefined]);
  });
});

describe("D6: rotate-signing-key", () => {
  const rotate = stack.functions().get("rotate-signing-key");
  const trigger = stack.one("Custom::Trigger");

  test("is called by a deploy, which waits for its answer and fails when it fails", () => {
    expect(trigger.properties.InvocationType).toBe("RequestResponse");
    const version = stack.all("AWS::Lambda::Version").find(({ id }) => id === trigger.properties.HandlerArn.Ref);
    expect(version?.properties.FunctionName.Ref).toBe(rotate?.id);
  });

  test("is called when the table, the secret, the function and its rights are there", () => {
    const secret = stack.one("AWS::SecretsManager::Secret", "SigningKeys");
    const needed = [stack.one("AWS::DynamoDB::GlobalTable"), secret].map(({ id }) => id);
    const role = rotate?.properties.Role["Fn::GetAtt"][0];
    expect(trigger.dependsOn).toEqual(expect.arrayContaining([...needed, role, rotate?.id]));
  });

  test("is called by its schedule after the first key is there", () => {
    const schedules = stack.all("AWS::Scheduler::Schedule").filter(({ properties }) => {
      return properties.Target.Arn["Fn::GetAtt"][0] === rotate?.id;
    });
    expect(schedules.map(({ dependsOn }) => dependsOn.includes(trigger.id))).toEqual([true]);
  });
});
