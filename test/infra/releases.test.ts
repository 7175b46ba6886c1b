import { expect, test } from "vitest";
import { functions } from "../../infra/functions/functions.ts";
import { stackOf } from "./stack.ts";

const stack = stackOf("prod");
const aliases = new Map(stack.all("AWS::Lambda::Alias").map((alias) => [alias.properties.FunctionName.Ref, alias]));

test("every function of a canary stage stands behind an alias that names its newest version", () => {
  const versions = new Map(stack.all("AWS::Lambda::Version").map(({ id, properties }) => [id, properties]));
  for (const [name, { id }] of stack.functions()) {
    const { Name, FunctionVersion } = aliases.get(id)?.properties ?? {};
    expect(Name, name).toBe("live");
    expect(versions.get(FunctionVersion["Fn::GetAtt"][0])?.FunctionName, name).toEqual({ Ref: id });
  }
  expect(aliases.size).toBe(Object.keys(functions).length);
});

test("a new version takes a tenth of the calls for five minutes and goes back when it or the API fails", () => {
  const groups = new Map(stack.all("AWS::CodeDeploy::DeploymentGroup").map(({ id, properties }) => [id, properties]));
  const alarms = new Map(stack.all("AWS::CloudWatch::Alarm").map(({ id, properties }) => [id, properties]));
  for (const { id, properties, updatePolicy } of aliases.values()) {
    const group = groups.get(updatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref);
    expect(group?.DeploymentConfigName, id).toBe("CodeDeployDefault.LambdaCanary10Percent5Minutes");
    expect(group?.AutoRollbackConfiguration, id).toEqual({
      Enabled: true,
      Events: expect.arrayContaining(["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"]),
    });
    expect(group?.AlarmConfiguration.Enabled, id).toBe(true);
    const named: string[] = group?.AlarmConfiguration.Alarms.map(({ Name }: { Name: { Ref: string } }) => Name.Ref);
    const [own, ofTheApi] = named.map((name) => alarms.get(name));
    const ownAlias = { Name: "FunctionName", Value: properties.FunctionName };
    expect(own, id).toMatchObject({ MetricName: "Errors", Threshold: 1, Period: 60, EvaluationPeriods: 1 });
    expect(own?.Dimensions, id).toContainEqual(ownAlias);
    expect(ofTheApi, id).toMatchObject({ MetricName: "5xx", Threshold: 1, Period: 60, EvaluationPeriods: 1 });
  }
});

test("whatever calls a function of a canary stage calls its alias", () => {
  const called = [
    ...stack.all("AWS::ApiGatewayV2::Integration").map(({ properties }) => properties.IntegrationUri),
    ...stack.all("AWS::Lambda::Permission").map(({ properties }) => properties.FunctionName),
    ...stack.all("AWS::Lambda::EventSourceMapping").map(({ properties }) => properties.FunctionName),
    ...stack.all("AWS::Lambda::EventInvokeConfig").map(({ properties }) => properties.Qualifier),
    ...stack.all("AWS::Scheduler::Schedule").map(({ properties }) => properties.Target.Arn),
  ].map((target) => JSON.stringify(target));
  const ids = [...aliases.values()].map(({ id }) => id);
  const direct = called.filter(
    (target) => target !== '"live"' && !ids.some((id) => target.includes(`{"Ref":"${id}"}`)),
  );
  expect(direct).toEqual([]);
});

test("the right to release is for the stage's own functions, and fits into its role", () => {
  const [role] = stack.all("AWS::IAM::Role").filter(({ id }) => id.startsWith("ReleasesRole"));
  expect(role?.properties.ManagedPolicyArns).toBeUndefined();
  const moving = stack
    .rights()
    .get(role?.id ?? "")
    ?.find(({ Action }) => [Action].flat().includes("lambda:UpdateAlias"));
  const resources = [moving?.Resource].flat();
  expect(resources).toHaveLength(2 * Object.keys(functions).length);
  for (const resource of resources) expect(JSON.stringify(resource)).toContain("Function");
  // A function's ARN is at most 47 characters before its name of at most 64; IAM takes 10,240 in a role.
  const longest = "arn:aws:lambda:ap-southeast-1:123456789012:function:".length + 64 + '"",'.length;
  expect(resources.length * longest + 31 * ":live".length).toBeLessThan(9_500);
});

test.each([
  "dev",
  "staging",
  "local",
])("in %s, which deploys at once, callers call the functions themselves", (name) => {
  const { all } = stackOf(name);
  expect(() => all("AWS::Lambda::Alias")).toThrow();
  expect(() => all("AWS::CodeDeploy::DeploymentGroup")).toThrow();
});

test("concurrency is reserved for the functions that the stage names, and for no other", () => {
  const reserved = [...stackOf("full").functions()].flatMap(([name, { properties }]) => {
    const { ReservedConcurrentExecutions: calls } = properties;
    return calls === undefined ? [] : [[name, calls]];
  });
  expect(Object.fromEntries(reserved)).toEqual({ "sign-in": 20, intake: 2 });
});
