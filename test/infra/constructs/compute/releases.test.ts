import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { hashesIn } from "../../../../infra/functions/bundle-places.ts";
import { type FunctionName, functions } from "../../../../infra/functions/functions.ts";
import { readCommit, readManifest } from "../../../../infra/functions/release.ts";
import { liveAlias } from "../../../../infra/stages/names.ts";
import type { Template } from "../../../../infra/support/stack-template.ts";
import { builtBundles } from "../../../support/service/made-stack.ts";
import { newFolder } from "../../../support/service/new-folder.ts";
import {
  arnOf,
  findSynthesis,
  type Resource,
  readStack,
  type SynthesizedStack,
  stackOf,
  synthesizeAlone,
} from "../../stack.ts";
import { fullStage, ownedStage } from "../../stages/owned-stage.ts";
import { everyStage } from "../../synthesize-stages.ts";

const stack = stackOf("prod");
const aliases = new Map(stack.all("AWS::Lambda::Alias").map((alias) => [alias.properties.FunctionName.Ref, alias]));
const versions = new Map(stack.all("AWS::Lambda::Version").map((each) => [each.id, each]));
const careful = (Object.keys(functions) as FunctionName[]).filter((name) => functions[name].canary).toSorted();
const releases = releasesOf(stack);
const full = stackOf("full");
const began = new Date().toISOString();
/** The full stack, as `-c release=now` makes it. */
const cure = readStack(synthesizeAlone({ stage: fullStage, context: { release: "now" } }));

test("each careful function, and no other, stands behind an alias of its newest version; the version that it replaces stays", () => {
  const behind = [...stack.functions()].flatMap(([name, { id }]) => {
    const { Name, FunctionVersion } = aliases.get(id)?.properties ?? {};
    if (Name === undefined) return [];
    const version = versions.get(FunctionVersion["Fn::GetAtt"][0]);
    expect([Name, version?.properties.FunctionName], name).toEqual(["live", { Ref: id }]);
    // One whose release failed goes.
    expect([version?.deletionPolicy, version?.updateReplacePolicy], name).toEqual(["RetainExceptOnCreate", "Retain"]);
    return [name];
  });
  expect(behind.toSorted()).toEqual(careful);
  expect(aliases.size).toBe(careful.length);
  const kept = [...versions.values()].filter(({ deletionPolicy }) => deletionPolicy !== undefined);
  expect(kept).toHaveLength(careful.length);
});

test("a new version goes back when its own alarm fires: each has one of its own, so that no fault of the last one stops its cure", () => {
  for (const { id, group, alarms, alias } of releases) {
    expect(group.AutoRollbackConfiguration, id).toEqual({
      Enabled: true,
      Events: expect.arrayContaining(["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"]),
    });
    expect(group.AlarmConfiguration.Enabled, id).toBe(true);
    expect(alarms, id).toHaveLength(2);
    const version = JSON.stringify(alias.properties.FunctionVersion);
    for (const alarm of alarms) expect(JSON.stringify(alarm.properties.AlarmName), id).toContain(version);
  }
});

test("a release is judged by the new version's faults, and by its refusals beyond those of both, whatever the API answers", () => {
  for (const { id, alarms, alias } of releases) {
    const measured = alarms.map(({ properties }) =>
      properties.Metrics.slice(1).map(({ MetricStat: { Metric } }: Resource["properties"]) => {
        const { Name, Value } = Metric.Dimensions.find((each: { Name: string }) => /version/i.test(each.Name)) ?? {};
        expect(versions.has(Value?.["Fn::GetAtt"][0]), id).toBe(Name !== undefined);
        return `${Metric.Namespace} ${Metric.MetricName} ${Name ?? "both"}`;
      }),
    );
    expect(measured, id).toEqual([
      [
        "Workforce/prod VersionFaults version",
        "AWS/Lambda Errors ExecutedVersion",
        "AWS/Lambda Invocations ExecutedVersion",
      ],
      [
        "Workforce/prod VersionRefusals version",
        "Workforce/prod Refusals both",
        "AWS/Lambda Invocations ExecutedVersion",
        "AWS/Lambda Invocations both",
      ],
    ]);
    for (const alarm of alarms) expect(alias.dependsOn, id).toContain(alarm.id);
    // CloudFormation does not say that an UpdatePolicy waits for what it names.
    expect(alias.dependsOn, id).toContain(alias.updatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref);
  }
});

describe("with -c release=now", () => {
  const described = ({ all }: SynthesizedStack) =>
    all("AWS::Lambda::Alias").map(({ properties: { Description } }) => Description);

  test("a cure takes all calls at once, whatever the alarms say, also after the alias was moved by hand", () => {
    for (const { id, properties, updatePolicy } of cure.all("AWS::Lambda::Alias"))
      expect([updatePolicy, properties.RoutingConfig], id).toEqual([undefined, undefined]);
    for (const { id, properties } of cure.all("AWS::CodeDeploy::DeploymentGroup")) {
      const { DeploymentConfigName, AlarmConfiguration } = properties;
      expect([DeploymentConfigName, AlarmConfiguration.Enabled], id).toEqual([
        "CodeDeployDefault.LambdaAllAtOnce",
        false,
      ]);
    }
  });

  test("a cure moves every alias, also one that a roll-back moved and whose function the cure leaves as it is", () => {
    // CloudFormation moves those whose text has changed.
    const moments = described(cure).map((text) => String(text).replace("Released at once on ", ""));
    expect(moments).toHaveLength(careful.length);
    for (const moment of moments) expect(moment >= began && moment === new Date(moment).toISOString()).toBe(true);
    expect(described(stack).filter((each) => each !== undefined)).toEqual([]);
  });

  test("alias, group and alarm stay: the next release is careful again", () => {
    const ids = ({ template }: SynthesizedStack) => Object.keys(template.Resources).toSorted();
    expect(ids(cure)).toEqual(ids(full));
    for (const { updatePolicy } of stack.all("AWS::Lambda::Alias")) expect(updatePolicy).toBeDefined();
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
  const isCalled = (id: string) => called.some((target) => target.includes(`"${id}"`));
  expect([...aliases.keys()].filter(isCalled)).toEqual([]);
  expect([...aliases.values()].filter(({ id }) => isCalled(id))).toHaveLength(careful.length);
});

test("the right to release is for the functions that are released so, and fits into its role", () => {
  const { id, properties } = stack.one("AWS::IAM::Role", "ReleasesRole");
  expect(properties.ManagedPolicyArns).toBeUndefined();
  const rights = stack.rights().get(id) ?? [];
  const moving = rights.find(({ Action }) => [Action].flat().includes("lambda:UpdateAlias"));
  const moved = [moving?.Resource].flat();
  // IAM takes 10,240 characters in a role; a function's ARN has at most 116, here once with its alias.
  expect(careful.length).toBeLessThanOrEqual(40);
  const both = careful.flatMap((name) => {
    const arn = arnOf(stack.functions().get(name) as Resource);
    return [arn, { "Fn::Join": ["", [arn, `:${liveAlias}`]] }];
  });
  expect(moved.map((each) => JSON.stringify(each)).toSorted()).toEqual(
    both.map((each) => JSON.stringify(each)).toSorted(),
  );
});

test.each(["dev", "local"])("in %s, which deploys at once, callers call the functions themselves", (name) => {
  const { all } = stackOf(name);
  for (const type of ["AWS::Lambda::Alias", "AWS::CodeDeploy::DeploymentGroup"]) expect(() => all(type)).toThrow();
});

describe("the manifest of a release", () => {
  const commit = "c0ffee".padEnd(40, "0");
  const [stage = ownedStage("dev")] = everyStage;

  test("alone changes with a commit that changes no function", () => {
    const [before, after] = [findSynthesis(stage.name).template, synthesizeAlone({ stage, commit })].map(split);
    expect(JSON.stringify(after?.others) === JSON.stringify(before?.others)).toBe(true);
    expect(before?.others.length).toBeGreaterThan(250);
    const hashes: string[] = [];
    expect([before?.manifests, after?.manifests]).toEqual([[{ commit: "unknown", hashes }], [{ commit, hashes }]]);
  }, 60_000);

  test("has the commit that is checked out, which a folder outside of a repository lacks", () => {
    const folder = newFolder();
    expect(readCommit(folder)).toBe("unknown");
    const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, encoding: "utf8" }).trim();
    git("init", "--quiet");
    git("-c", "user.name=Ada", "-c", "user.email=ada@mail.test", "commit", "--quiet", "--allow-empty", "-m", "first");
    expect(readCommit(folder)).toBe(git("rev-parse", "HEAD"));
  });

  test("names its commit and the build of every function", async () => {
    const bundles = await builtBundles();
    const [manifest] = split(synthesizeAlone({ stage, commit, bundles })).manifests;
    const names = Object.keys(functions);
    const built = hashesIn(bundles, names);
    expect(built).toHaveLength(names.length);
    expect(manifest).toEqual({ commit, hashes: expect.arrayContaining(built) });
    expect(manifest?.hashes).toHaveLength(built.length);
  }, 60_000);
});

/** The manifests that a template holds, and the properties of all other resources. */
function split({ Resources }: Template) {
  const all = Object.entries(Resources);
  const manifests = all.filter(([, { Type }]) => Type === "AWS::SSM::Parameter");
  const others = all.filter(([, { Type }]) => Type !== "AWS::SSM::Parameter");
  return {
    manifests: manifests.map(([, { Properties }]) => readManifest(String(Properties?.Value))),
    others: others.map(([id, { Properties }]) => [id, Properties]),
  };
}

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
