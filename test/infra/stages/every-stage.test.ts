import { expect, test } from "vitest";
import { findStage, stageNames } from "../../../infra/stages/stages.ts";
import { findSynthesis, type Resource, stackOf } from "../stack.ts";
import { fullStage } from "./owned-stage.ts";

const everyName = [...stageNames, "full"];

test.each(everyName)("the laws see every resource of %s, and cdk-nag does", (name) => {
  const { template, checkedResources } = findSynthesis(name);
  const inAll = Object.keys(template.Resources).length;
  expect(checkedResources).toBe(inAll);
  const types = new Set(Object.values(template.Resources).map(({ Type }) => Type));
  const seen = [...types].flatMap((type) => stackOf(name).all(type));
  expect(seen).toHaveLength(inAll);
  expect([...types], "AWS learns nothing of the constructs that it is made of").not.toContain("AWS::CDK::Metadata");
});

test.each(stageNames)("everything in %s that can carry tags says of which service and stage it is", (name) => {
  const wanted = { service: "workforce-api", stage: name };
  for (const type of taggedTypes) {
    for (const { id, properties } of stackOf(name).all(type)) {
      // CloudFormation tags what the CDK adds of its own, as part of the stack.
      if (id.includes("AWSCDKTrigger")) continue;
      expect(tagsOf(properties), id).toMatchObject(wanted);
    }
  }
});

test.each(
  everyName,
)("in %s every function runs on Node 24 and arm64, with a log group of its own, and a trace where the stage wants it", (name) => {
  const { tracing, logRetentionDays } = name === "full" ? fullStage : findStage(name);
  const stack = stackOf(name);
  const groups = new Map(stack.all("AWS::Logs::LogGroup").map(({ id, properties }) => [id, properties]));
  const used = stack.all("AWS::Lambda::Function").map(({ properties }) => properties.LoggingConfig?.LogGroup?.Ref);
  expect(new Set(used).size).toBe(used.length);
  expect(used, "a group that the CDK makes never expires").not.toContain(undefined);
  const lines = { LogFormat: "JSON", ApplicationLogLevel: "INFO", SystemLogLevel: "WARN" };
  for (const [operation, { properties }] of stack.functions()) {
    const { Runtime, Architectures, LoggingConfig, TracingConfig } = properties;
    expect([Runtime, ...Architectures], operation).toEqual(["nodejs24.x", "arm64"]);
    expect(LoggingConfig, operation).toMatchObject(lines);
    expect(groups.get(LoggingConfig.LogGroup.Ref)?.RetentionInDays, operation).toBe(logRetentionDays);
    expect(TracingConfig, operation).toEqual(tracing ? { Mode: "Active" } : undefined);
    const actions = stack.rightsOf(operation).flatMap(({ Action = [] }) => Action);
    expect(actions.filter((action) => action.startsWith("xray:")).toSorted(), operation).toEqual(
      tracing ? ["xray:PutTelemetryRecords", "xray:PutTraceSegments"] : [],
    );
  }
});

test.each([
  ["dev", false],
  ["staging", true],
  ["prod", true],
])("the table of %s is protected, or can be destroyed with all that is in it: %s", (name, isProtected) => {
  const { Replicas } = stackOf(name).one("AWS::DynamoDB::GlobalTable").properties;
  expect(Replicas[0].DeletionProtectionEnabled ?? false).toBe(isProtected);
});

test.each(stageNames)("the stack of %s can be deleted in one command only where nothing is kept", (name) => {
  expect(findSynthesis(name).isProtected).toBe(findStage(name).removal === "keep");
});

test("a stage that names its account is deployed to no other: the template is of that account", () => {
  expect(JSON.stringify(stackOf("full").all("AWS::CloudWatch::Dashboard"))).toContain(fullStage.account);
  expect(JSON.stringify(stackOf("full").template)).not.toContain('"AWS::AccountId"');
});

const taggedTypes = [
  "AWS::Lambda::Function",
  "AWS::IAM::Role",
  "AWS::Logs::LogGroup",
  "AWS::SQS::Queue",
  "AWS::SecretsManager::Secret",
  "AWS::Events::EventBus",
  "AWS::ApiGatewayV2::Api",
  "AWS::ApiGatewayV2::Stage",
  "AWS::SES::ConfigurationSet",
  "AWS::DynamoDB::GlobalTable",
];

function tagsOf(properties: Resource["properties"]): Record<string, string> {
  const tags = properties.Tags ?? properties.Replicas?.[0].Tags ?? {};
  if (!Array.isArray(tags)) return tags;
  return Object.fromEntries(tags.map(({ Key, Value }: { Key: string; Value: string }) => [Key, Value]));
}
