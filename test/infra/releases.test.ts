import { expect, test } from "vitest";
import { type FunctionName, functions } from "../../infra/functions/functions.ts";
import { stackOf } from "./stack.ts";

const stack = stackOf("prod");
const aliases = new Map(stack.all("AWS::Lambda::Alias").map((alias) => [alias.properties.FunctionName.Ref, alias]));

const careful = (Object.keys(functions) as FunctionName[]).filter((name) => functions[name].canary).toSorted();

test("users feel a fault of these at once", () => {
  expect(careful).toEqual([
    "bulk-update-timesheets",
    "list-invoices",
    "list-jobs",
    "list-notifications",
    "list-timesheets",
    "refresh-token",
    "sign-in",
  ]);
});

test("each of them, and no other, stands behind an alias that names its newest version in a canary stage", () => {
  const versions = new Map(stack.all("AWS::Lambda::Version").map(({ id, properties }) => [id, properties]));
  const behind = [...stack.functions()].flatMap(([name, { id }]) => {
    const { Name, FunctionVersion } = aliases.get(id)?.properties ?? {};
    if (Name === undefined) return [];
    expect(Name, name).toBe("live");
    expect(versions.get(FunctionVersion["Fn::GetAtt"][0])?.FunctionName, name).toEqual({ Ref: id });
    return [name];
  });
  expect(behind.toSorted()).toEqual(careful);
  expect(aliases.size).toBe(careful.length);
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

test("whatever calls a function that has an alias calls the alias", () => {
  const called = [
    ...stack.all("AWS::ApiGatewayV2::Integration").map(({ properties }) => properties.IntegrationUri),
    ...stack.all("AWS::Lambda::Permission").map(({ properties }) => properties.FunctionName),
    ...stack.all("AWS::Lambda::EventSourceMapping").map(({ properties }) => properties.FunctionName),
    ...stack.all("AWS::Lambda::EventInvokeConfig").map(({ properties }) => properties.Qualifier),
    ...stack.all("AWS::Scheduler::Schedule").map(({ properties }) => properties.Target.Arn),
  ].map((target) => JSON.stringify(target));
  const ids = [...aliases.keys()];
  expect(called.length).toBeGreaterThan(ids.length);
  expect(called.filter((target) => ids.some((id) => target.includes(`"${id}"`)))).toEqual([]);
  const throughAlias = [...aliases.values()].filter(({ id }) => called.some((target) => target.includes(`"${id}"`)));
  expect(throughAlias).toHaveLength(ids.length);
});

test("the right to release is for the functions of the same stack that are released so, and fits into its role", () => {
  const roles = stack.all("AWS::IAM::Role").filter(({ id }) => /\.ReleasesRole/.test(id));
  const resources = roles.flatMap(({ id, properties }) => {
    expect(properties.ManagedPolicyArns, id).toBeUndefined();
    const moving = stack
      .rights()
      .get(id)
      ?.find(({ Action }) => [Action].flat().includes("lambda:UpdateAlias"));
    const moved = [moving?.Resource].flat();
    // IAM takes 10,240 characters in a role; a function's ARN has at most 116, here once with its alias.
    expect(moved.length / 2, id).toBeLessThanOrEqual(40);
    const [nested = ""] = id.split(".");
    for (const resource of moved) expect(JSON.stringify(resource), id).toContain(`"${nested}.`);
    return moved;
  });
  expect(resources).toHaveLength(2 * careful.length);
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
