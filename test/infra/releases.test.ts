import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type FunctionName, functions } from "../../infra/functions/functions.ts";
import { ownedStage } from "../support/service/owned-stage.ts";
import { synthesizeStage, writeStubBundles } from "../support/service/synthesize-stages.ts";
import { type Resource, readStack, type SynthesizedStack, stackOf } from "./stack.ts";

interface MeasuredMetric {
  readonly MetricStat: {
    readonly Metric: { Namespace: string; MetricName: string; Dimensions: { Name: string; Value: unknown }[] };
    readonly Period: number;
    readonly Stat: string;
  };
}
type FromVersion = { readonly "Fn::GetAtt": readonly [string, string] };

const directory = mkdtempSync(join(tmpdir(), "workforce-releases-"));
afterAll(() => rmSync(directory, { recursive: true }));

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

test("a new version takes a tenth of the calls for five minutes and goes back when its own alarm fires", () => {
  for (const { id, group, alarms } of releasesOf(stack)) {
    expect(group.DeploymentConfigName, id).toBe("CodeDeployDefault.LambdaCanary10Percent5Minutes");
    expect(group.AutoRollbackConfiguration, id).toEqual({
      Enabled: true,
      Events: expect.arrayContaining(["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"]),
    });
    expect(group.AlarmConfiguration.Enabled, id).toBe(true);
    expect(alarms, id).toHaveLength(1);
  }
});

test("a release is judged by the new version alone: one percent of its calls and five faults, whatever the API answers", () => {
  const versions = new Set(stack.all("AWS::Lambda::Version").map(({ id }) => id));
  for (const { id, alarms, alias } of releasesOf(stack)) {
    const [alarm] = alarms;
    expect(alarm?.properties, id).toMatchObject({
      Threshold: 1,
      EvaluationPeriods: 1,
      TreatMissingData: "notBreaching",
    });
    const [judged, ...counted] = alarm?.properties.Metrics ?? [];
    expect(judged.Expression).toBe(
      "IF(SUM([FILL(answers, 0), FILL(errors, 0)]) >= 5, 100 * SUM([FILL(answers, 0), FILL(errors, 0)]) / FILL(calls, 1), 0)",
    );
    const measured = counted.map(({ MetricStat: { Metric, Period, Stat } }: MeasuredMetric) => {
      const { Name, Value } = Metric.Dimensions.find(({ Name }) => /version/i.test(Name)) ?? {};
      expect(versions.has((Value as FromVersion)["Fn::GetAtt"][0]), id).toBe(true);
      return `${Metric.Namespace} ${Metric.MetricName} ${Name} ${Stat} ${Period}`;
    });
    expect(measured, id).toEqual([
      "Workforce/prod VersionFaults version Sum 300",
      "AWS/Lambda Errors ExecutedVersion Sum 300",
      "AWS/Lambda Invocations ExecutedVersion Sum 300",
    ]);
    expect(alias.dependsOn, id).toContain(alarm?.id);
    // CloudFormation does not say that an UpdatePolicy waits for what it names.
    expect(alias.dependsOn, id).toContain(alias.updatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref);
  }
});

test("each version has an alarm of its own, so that no fault of the last one stops its cure", () => {
  for (const { id, alarms, alias } of releasesOf(stack)) {
    const name = JSON.stringify(alarms[0]?.properties.AlarmName);
    expect(name, id).toContain(JSON.stringify(alias.properties.FunctionVersion));
  }
});

test("a version that was replaced stays, so that the alias can be moved back to it; one whose release failed goes", () => {
  const versions = new Map(stack.all("AWS::Lambda::Version").map((each) => [each.id, each]));
  for (const { id, properties } of aliases.values()) {
    const version = versions.get(properties.FunctionVersion["Fn::GetAtt"][0]);
    expect([version?.deletionPolicy, version?.updateReplacePolicy], id).toEqual(["RetainExceptOnCreate", "Retain"]);
  }
});

describe("with -c release=now", () => {
  const now = synthesizeProd({ release: "now" });

  test("a cure takes all calls at once, whatever the alarms say, also after the alias was moved by hand", () => {
    for (const { id, properties, updatePolicy } of now.all("AWS::Lambda::Alias")) {
      expect(updatePolicy, id).toBeUndefined();
      expect(properties.RoutingConfig, id).toBeUndefined();
    }
    for (const { id, properties } of now.all("AWS::CodeDeploy::DeploymentGroup")) {
      expect(properties.DeploymentConfigName, id).toBe("CodeDeployDefault.LambdaAllAtOnce");
      expect(properties.AlarmConfiguration.Enabled, id).toBe(false);
    }
  });

  test("a cure moves every alias, also one that a roll-back moved and whose function the cure leaves as it is", () => {
    const again = synthesizeProd({ release: "now" });
    const described = ({ all }: SynthesizedStack) =>
      all("AWS::Lambda::Alias").map(({ properties: { Description } }) => Description);
    expect(described(now)).toHaveLength(careful.length);
    for (const [at, description] of described(now).entries()) {
      expect(description).toMatch(/^Released at once on \d{4}-\d\d-\d\dT/);
      expect(described(again)[at]).not.toBe(description);
    }
    expect(stack.all("AWS::Lambda::Alias").every(({ properties }) => properties.Description === undefined)).toBe(true);
  });

  test("alias, group and alarm stay: the next release is careful again", () => {
    const careful = synthesizeProd({});
    const ids = ({ template }: SynthesizedStack) => Object.keys(template.Resources).toSorted();
    expect(ids(now)).toEqual(ids(careful));
    for (const { updatePolicy } of careful.all("AWS::Lambda::Alias")) expect(updatePolicy).toBeDefined();
  });
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
  expect(Object.fromEntries(reserved)).toEqual({ "sign-in": 20, intake: 2, "deliver-webhook": 4 });
});

/** Each alias with the group that releases it, and the alarms that stop a release. */
function releasesOf({ all }: SynthesizedStack) {
  const byId = (type: string) => new Map(all(type).map((each) => [each.id, each]));
  const [groups, alarms] = [byId("AWS::CodeDeploy::DeploymentGroup"), byId("AWS::CloudWatch::Alarm")];
  return [...aliases.values()].map((alias) => {
    const group = groups.get(alias.updatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref)?.properties ?? {};
    const named: string[] = group.AlarmConfiguration.Alarms.map(({ Name }: { Name: { Ref: string } }) => Name.Ref);
    return { id: alias.id, alias, group, alarms: named.map((name) => alarms.get(name) as Resource) };
  });
}

/** The stack of prod as the cdk command makes it when it is given that context. */
function synthesizeProd(context: object): SynthesizedStack {
  const outdir = mkdtempSync(join(directory, "prod-"));
  const bundles = join(outdir, "bundles");
  writeStubBundles(bundles, Object.keys(functions));
  const stage = ownedStage("prod");
  const { template } = synthesizeStage({ stage, bundles, outdir: join(outdir, "out"), context: { ...context } });
  return readStack(template);
}
