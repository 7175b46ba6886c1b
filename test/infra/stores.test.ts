import { expect, test } from "vitest";
import { namesOf } from "../../infra/names.ts";
import { findStage } from "../../infra/stages.ts";
import { stackOf, useStack } from "./stack.ts";

const stack = useStack();

test("the table can be restored to any second, drops what expired, and tells its changes", () => {
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
  const { all } = stackOf(findStage(name));
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
  ]);
});

test("no secret's value stands in the template: each is made in AWS", () => {
  for (const { id, properties } of stack.all("AWS::SecretsManager::Secret")) {
    expect(properties.SecretString, id).toBeUndefined();
    expect(properties.GenerateSecretString, id).toBeDefined();
  }
});

test("every queue is encrypted and takes no plain HTTP", () => {
  const withPolicy = stack.all("AWS::SQS::QueuePolicy").filter(({ properties }) => deniesPlainHttp(properties));
  const guarded = new Set(withPolicy.flatMap(({ properties }) => properties.Queues.map(refOf)));
  for (const { id, properties } of stack.all("AWS::SQS::Queue")) {
    expect(properties.SqsManagedSseEnabled ?? properties.KmsMasterKeyId, id).toBeTruthy();
    expect(guarded, id).toContain(id);
  }
});

test("every queue sets aside what fails again and again, or is itself where such things end, for two weeks", () => {
  const queues = stack.all("AWS::SQS::Queue");
  const ends = new Set([
    ...queues.map(({ properties }) => queueOf(properties.RedrivePolicy?.deadLetterTargetArn)),
    ...mappings().map(({ properties }) => queueOf(properties.DestinationConfig?.OnFailure?.Destination)),
    ...rules().map(({ properties }) => queueOf(properties.Targets[0].DeadLetterConfig?.Arn)),
  ]);
  for (const { id, properties } of queues) {
    if (ends.has(id)) expect(properties.MessageRetentionPeriod, id).toBe(14 * 24 * 60 * 60);
    else expect(properties.RedrivePolicy?.maxReceiveCount, id).toBeGreaterThan(0);
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

test("every worker of a queue or a stream names what failed of a batch, so that the rest is not done again", () => {
  for (const { id, properties } of mappings()) {
    expect(properties.FunctionResponseTypes, id).toEqual(["ReportBatchItemFailures"]);
  }
});

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
