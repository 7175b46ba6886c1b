import { expect, test } from "vitest";
import { copiesKept } from "../../infra/constructs/stores/table-backups.ts";
import { namesOf } from "../../infra/stages/names.ts";
import { findStage, stageNames } from "../../infra/stages/stages.ts";
import { prices } from "../bench/costs/prices.ts";
import { fullStage } from "../support/service/owned-stage.ts";
import { stackOf, useStack } from "./stack.ts";

const stack = await useStack();

test("the table can be restored to any second, drops what expired, and streams its changes", () => {
  const [table, ...others] = stack.all("AWS::DynamoDB::GlobalTable");
  expect(others).toEqual([]);
  const { Replicas, TimeToLiveSpecification, StreamSpecification } = table?.properties ?? {};
  for (const replica of Replicas) {
    expect(replica.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true);
  }
  expect(TimeToLiveSpecification).toEqual({ AttributeName: "expires_at", Enabled: true });
  expect(StreamSpecification).toEqual({ StreamViewType: "NEW_AND_OLD_IMAGES" });
});

test.each([
  ["dev", "Delete"],
  ["staging", "RetainExceptOnCreate"],
  ["prod", "RetainExceptOnCreate"],
])("when the stack of %s is destroyed, its table and secrets meet: %s", (name, policy) => {
  const { all } = stackOf(name);
  for (const { id, deletionPolicy } of [...all("AWS::DynamoDB::GlobalTable"), ...all("AWS::SecretsManager::Secret")]) {
    expect(deletionPolicy, id).toBe(policy);
  }
});

test("the table and every secret have fixed names, so that CloudFormation refuses to replace them", () => {
  const names = namesOf("local");
  expect(stack.all("AWS::DynamoDB::GlobalTable").map(({ properties }) => properties.TableName)).toEqual([names.table]);
  expect(stack.all("AWS::SecretsManager::Secret").map(({ properties }) => properties.Name)).toEqual([
    names.hmacSecret,
    names.signingSecret,
    names.webhookSecret,
  ]);
});

test.each(
  stageNames,
)("what %s must not lose keeps its logical id: with another one, CloudFormation would replace it", (name) => {
  const { all } = stackOf(name);
  const ids = [...all("AWS::DynamoDB::GlobalTable"), ...all("AWS::SecretsManager::Secret")].map(({ id }) => id);
  const ofWebhooks = name === "local" ? ["WebhooksKeysSecret8D824009"] : [];
  const kept = ["HmacKeySecret6488F390", "RecordsTableC9B7A30B", "SigningKeysSecret988BD324", ...ofWebhooks];
  expect(ids.toSorted()).toEqual(kept);
});

test.each([
  "staging",
  "prod",
])("a deploy to %s that would replace the table or a secret fails, and leaves them", (name) => {
  const { all } = stackOf(name);
  for (const { id, properties, deletionPolicy, updateReplacePolicy } of [
    ...all("AWS::DynamoDB::GlobalTable"),
    ...all("AWS::SecretsManager::Secret"),
  ]) {
    // CloudFormation makes the new one first, and its name is taken.
    expect(properties.TableName ?? properties.Name, id).toMatch(new RegExp(`^workforce[/-]${name}[/-]`));
    expect(updateReplacePolicy, id).toBe("Retain");
    // A first deploy that fails leaves nothing behind that would stop the second.
    expect(deletionPolicy, id).toBe("RetainExceptOnCreate");
  }
});

test("a stage that names days has its table backed up every night, keeps a week of nights, and a copy a week that long", () => {
  const { all } = stackOf("prod");
  const [vault] = all("AWS::Backup::BackupVault");
  const [plan] = all("AWS::Backup::BackupPlan");
  const [selection] = all("AWS::Backup::BackupSelection");
  const rules: BackupRule[] = plan?.properties.BackupPlan.BackupPlanRule ?? [];
  expect(rules.map(({ RuleName, Lifecycle }) => [RuleName, Lifecycle.DeleteAfterDays])).toEqual([
    ["daily", 7],
    ["weekly", findStage("prod").backupKeptDays],
  ]);
  const [nights, weeks] = rules.map(({ ScheduleExpression }) => ScheduleExpression);
  expect(nights).toMatch(/^cron\(\d+ \d+ \* \* \? \*\)$/);
  expect(weeks).toMatch(/^cron\(\d+ \d+ \? \* SUN \*\)$/);
  for (const { TargetBackupVault } of rules) {
    expect(TargetBackupVault).toEqual({ "Fn::GetAtt": [vault?.id, "BackupVaultName"] });
  }
  expect(vault?.deletionPolicy).toBe("RetainExceptOnCreate");
  const [table] = all("AWS::DynamoDB::GlobalTable");
  expect(selection?.properties.BackupSelection.Resources).toEqual([{ "Fn::GetAtt": [table?.id, "Arn"] }]);
});

test("backups can be restored: the vault has a fixed name, and AWS Backup a role for it that the runbook names", () => {
  const { all } = stackOf("prod");
  expect(all("AWS::Backup::BackupVault")[0]?.properties.BackupVaultName).toBe(namesOf("prod").backupVault);
  const role = all("AWS::IAM::Role").find(({ properties }) => properties.RoleName === namesOf("prod").restoreRole);
  const { Statement } = role?.properties.AssumeRolePolicyDocument ?? {};
  expect(Statement).toMatchObject([{ Effect: "Allow", Principal: { Service: "backup.amazonaws.com" } }]);
  expect(JSON.stringify(role?.properties.ManagedPolicyArns)).toContain("AWSBackupServiceRolePolicyForRestores");
});

test("copies and point-in-time recovery together cost at most 2.50 dollars a gigabyte of table and month", () => {
  const { backupPerGigabyteMonth, recoveryPerGigabyteMonth } = prices;
  const copies = copiesKept(findStage("prod").backupKeptDays ?? 0);
  expect(copies).toBeGreaterThan(7);
  expect(copies * backupPerGigabyteMonth + recoveryPerGigabyteMonth).toBeLessThanOrEqual(2.5);
});

test("a stage that names no days pays for no backups", () => {
  expect(() => stackOf("dev").all("AWS::Backup::BackupPlan")).toThrow();
});

test("no secret's value stands in the template: each is made in AWS", () => {
  for (const { id, properties } of stack.all("AWS::SecretsManager::Secret")) {
    expect(properties.SecretString, id).toBeUndefined();
    expect(properties.GenerateSecretString, id).toBeDefined();
  }
});

/**
 * CloudFormation makes a new value of a secret whenever its GenerateSecretString changes, in whatever way: the HMAC key would be
 * overwritten, and every passcode and refresh token with it; the signing keys, and no token would be signed until the next
 * rotation. What is to change in a secret's value is changed by a function or by `npm run keys`.
 */
const generated: Readonly<Record<string, object>> = {
  HmacKey: {
    ExcludePunctuation: true,
    GenerateStringKey: "key",
    PasswordLength: 64,
    SecretStringTemplate: '{"version":1}',
  },
  SigningKeys: { GenerateStringKey: "unused", SecretStringTemplate: '{"keys":[]}' },
};

/** The logical ids: under another one, CloudFormation makes another secret. */
const generatedIds: Readonly<Record<string, string>> = {
  HmacKey: "HmacKeySecret6488F390",
  SigningKeys: "SigningKeysSecret988BD324",
};

test.each(
  Object.entries(generated),
)("D6, D9: no edit of the template overwrites a key: %s is generated as ever", (name, as) => {
  for (const stage of [...stageNames, "full"]) {
    const [secret, ...others] = stackOf(stage)
      .all("AWS::SecretsManager::Secret")
      .filter(({ id }) => id.startsWith(name));
    expect(others).toEqual([]);
    expect(secret?.id, stage).toBe(generatedIds[name]);
    expect(secret?.properties.GenerateSecretString, stage).toEqual(as);
  }
});

test("D6, D9: every secret that CloudFormation generates is one of those", () => {
  const secrets = stack.all("AWS::SecretsManager::Secret");
  // Receivers of webhooks would refuse what another key signs.
  const ofWebhooks = secrets.filter(({ id }) => id.startsWith("WebhooksKeysSecret"));
  const generation = { ...generated.HmacKey, SecretStringTemplate: "{}" };
  expect(ofWebhooks.map(({ properties }) => properties.GenerateSecretString)).toEqual([generation]);
  const ids = secrets.filter((each) => !ofWebhooks.includes(each)).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(Object.values(generatedIds).toSorted());
});

test("every queue is encrypted and takes no plain HTTP", () => {
  const withPolicy = stack.all("AWS::SQS::QueuePolicy").filter(({ properties }) => deniesPlainHttp(properties));
  const guarded = new Set(withPolicy.flatMap(({ properties }) => properties.Queues.map(refOf)));
  for (const { id, properties } of stack.all("AWS::SQS::Queue")) {
    expect(properties.SqsManagedSseEnabled ?? properties.KmsMasterKeyId, id).toBeTruthy();
    expect(guarded, id).toContain(id);
  }
});

test("every queue dead-letters what fails five times, throttled calls among them, events what fails for a day, or is itself where such things end, for two weeks", () => {
  const queues = stack.all("AWS::SQS::Queue");
  const ends = new Set([
    ...queues.map(({ properties }) => queueOf(properties.RedrivePolicy?.deadLetterTargetArn)),
    ...mappings().map(({ properties }) => queueOf(properties.DestinationConfig?.OnFailure?.Destination)),
    ...rules().map(({ properties }) => queueOf(properties.Targets[0].DeadLetterConfig?.Arn)),
  ]);
  for (const { id, properties } of queues) {
    if (ends.has(id)) expect(properties.MessageRetentionPeriod, id).toBe(14 * 24 * 60 * 60);
    else expect(properties.RedrivePolicy?.maxReceiveCount, id).toBe(triesOf(id));
  }
});

test("a queue's messages stay hidden at least six times as long as its worker may run", () => {
  const functions = new Map(stack.all("AWS::Lambda::Function").map(({ id, properties }) => [id, properties]));
  const queues = new Map(stack.all("AWS::SQS::Queue").map(({ id, properties }) => [id, properties]));
  const queued = mappings().filter(({ properties }) => queues.has(queueOf(properties.EventSourceArn) ?? ""));
  expect(queued.length).toBeGreaterThan(0);
  for (const { id, properties } of queued) {
    const queue = queues.get(queueOf(properties.EventSourceArn) ?? "");
    const worker = functions.get(refOf(properties.FunctionName));
    expect(queue?.VisibilityTimeout, id).toBeGreaterThanOrEqual(6 * worker?.Timeout);
  }
});

test("no queue's worker takes the account's concurrency from the API: each has a cap, and all together a fraction of it", () => {
  const operations = new Map([...stack.functions()].map(([name, { id }]) => [id, name]));
  const caps = mappings().flatMap(({ properties }) => {
    const cap = properties.ScalingConfig?.MaximumConcurrency;
    return cap === undefined ? [] : [[operations.get(refOf(properties.FunctionName)), cap]];
  });
  expect(Object.fromEntries(caps)).toEqual({
    "deliver-pin": 10,
    "notify-password-changed": 5,
    "deliver-notifications": 20,
    "send-pushes": 20,
    intake: 10,
    "send-events": 5,
    "deliver-webhook": 2,
  });
});

test("a worker with a reservation is called no oftener at once, as a throttled call counts as a try of its messages", () => {
  const full = stackOf("full");
  const intake = full.functions().get("intake");
  const mapping = full.all("AWS::Lambda::EventSourceMapping").find(({ properties }) => {
    return refOf(properties.FunctionName) === intake?.id;
  });
  expect(intake?.properties.ReservedConcurrentExecutions).toBe(fullStage.reservedConcurrency.intake);
  expect(mapping?.properties.ScalingConfig).toEqual({ MaximumConcurrency: fullStage.reservedConcurrency.intake });
});

test("every worker of a queue or a stream names what failed of a batch, so that the rest is not done again", () => {
  for (const { id, properties } of mappings()) {
    expect(properties.FunctionResponseTypes, id).toEqual(["ReportBatchItemFailures"]);
  }
});

/** Events wait for their bus for a day: a try every two minutes. A webhook's function itself gives up what fails for a day. */
function triesOf(queue: string): number {
  if (queue.startsWith("EventsQueue")) return 24 * 30;
  return queue.startsWith("Webhooks") ? 100 : 5;
}

interface BackupRule {
  readonly RuleName: string;
  readonly ScheduleExpression: string;
  readonly TargetBackupVault: unknown;
  readonly Lifecycle: { readonly DeleteAfterDays: number };
}

function mappings() {
  return stack.all("AWS::Lambda::EventSourceMapping");
}

function rules() {
  return stack.all("AWS::Events::Rule");
}

/** The resource whose attribute is named. */
function queueOf(value: { "Fn::GetAtt": string[] } | undefined): string | undefined {
  return value?.["Fn::GetAtt"][0];
}

function refOf(value: { Ref: string }): string {
  return value.Ref;
}

function deniesPlainHttp(properties: { PolicyDocument?: { Statement: object[] } }): boolean {
  const statements = properties.PolicyDocument?.Statement ?? [];
  const denial = { Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } };
  return statements.some((statement) =>
    Object.entries(denial).every(([key, value]) => sameJson(Reflect.get(statement, key), value)),
  );
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
