import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Stack } from "aws-cdk-lib";
import { type CfnFunction, CfnVersion, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { describe, expect, test } from "vitest";
import { type FunctionName, functions } from "../../../../infra/functions/functions.ts";
import { service } from "../../../../infra/functions/service-table.ts";
import type { Stage } from "../../../../infra/stages/stage-shape.ts";
import { settingNames } from "../../../../infra/stages/stage-shape.ts";
import { createApp } from "../../../../infra/synthesize.ts";
import { WorkforceStack } from "../../../../infra/workforce-stack.ts";
import { newFolder } from "../../../support/service/new-folder.ts";
import { stackOf } from "../../stack.ts";
import { fullStage } from "../../stages/owned-stage.ts";
import { writeStubBundles } from "../../synthesize-stages.ts";

const { region: _, account: __, ...unplaced } = fullStage;
const careful = (Object.keys(functions) as FunctionName[]).filter((name) => functions[name].canary);
const versioned = [...careful, "rotate-signing-key"].toSorted();
// Routes without versions take most of the time.
const fewOperations = service.operations.filter(({ name }) => functions[name as FunctionName].canary);
const unlisted = ["workers", "service"];
const isNeeded = (name: string) => versioned.includes(name) || unlisted.includes(functions[name as FunctionName].area);
const fewFunctions = Object.fromEntries(Object.entries(service.functions).filter(([name]) => isNeeded(name)));
const few = { operations: fewOperations, functions: fewFunctions };
const bundles = newFolder();
writeStubBundles(bundles, Object.keys(functions));

/** Other values of the settings that this stage cannot leave out. */
const others: Partial<Stage> = {
  serviceName: "Harbourside",
  senderAddress: "hello@harbour-logistics.co.uk",
  senderIdentity: "domain",
  defaultCountry: "IE",
  servedCountries: ["IE"],
  recoveryDisclosure: fullStage.recoveryDisclosure === "full" ? "masked" : "full",
  registration: fullStage.registration === "open" ? "closed" : "open",
  smsMostDollars: 0.99,
  smsCeilings: { ...fullStage.smsCeilings, total: 4_321 } as Stage["smsCeilings"],
  mailCeilings: { ...fullStage.mailCeilings, total: 4_321 } as Stage["mailCeilings"],
  businessTimeZone: "Europe/Berlin",
  customDomain: { ...fullStage.customDomain, name: "other.harbour-logistics.co.uk" },
  tableName: "workforce-full-records-2",
  origins: ["https://other.harbour-logistics.co.uk"],
  throttle: { requestsPerSecond: 7, burst: 8 },
  anonymousThrottle: { requestsPerSecond: 3, burst: 4 },
  logRetentionDays: 7,
  removal: "delete",
  deletionProtection: !fullStage.deletionProtection,
  deployment: "at-once",
  tracing: !fullStage.tracing,
};

interface Version {
  readonly id: string;
  /** The code and configuration that Lambda sees, as the template has them. */
  readonly seen: string;
}

interface Synthesis {
  readonly stage?: Stage;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly bundles?: string;
  /** Is given each function that has versions. */
  readonly change?: (made: LambdaFunction) => void;
}

/** The versions of a stage by function. Making the templates of all others takes longer than everything else. */
function versionsOf({ stage = fullStage, context = {}, change, ...given }: Synthesis): Map<string, Version> {
  const stack = new WorkforceStack(createUntracedApp(context), { stage, service: few, bundles, ...given });
  const found = stack.node.findAll().filter((each) => each instanceof CfnVersion);
  return new Map(
    found.map((version) => {
      const made = version.node.scopes.find((each) => each instanceof LambdaFunction);
      if (!made) throw new Error(`${version.node.path} is of no function`);
      change?.(made);
      const [name = ""] = made.node.path.split("/").slice(-2);
      const { Resources } = Stack.of(made).resolve((made.node.defaultChild as Rendered)._toCloudFormation());
      const [{ Properties } = {}] = Object.values<Properties>(Resources);
      const { Tags, ReservedConcurrentExecutions, RecursiveLoop, Code, ...configuration } = Properties;
      const seen = JSON.stringify([Code.S3Key, configuration]);
      return [name, { id: Stack.of(version).resolve(version.logicalId), seen }];
    }),
  );
}

type SettingName = (typeof settingNames)[number];

type Rendered = CfnFunction & { _toCloudFormation(): object };
// biome-ignore lint/suspicious/noExplicitAny: what CloudFormation takes for a function
type Properties = Record<string, any>;

const before = versionsOf({});

/** The stage with other values of some settings, or without those that it can leave out. */
function stageWithOther(names: readonly SettingName[]): Stage {
  const stage: Partial<Record<SettingName, unknown>> = { ...fullStage };
  for (const name of names) {
    delete stage[name];
    if (name in others) stage[name] = others[name];
    expect(stage[name]).not.toEqual((fullStage as Stage)[name]);
  }
  return stage as unknown as Stage;
}

/** The functions whose version is a new one; throws unless those are the ones of which Lambda sees a change. */
function renewedBy(synthesis: Synthesis, from = before): string[] {
  const after = versionsOf(synthesis);
  const both = [...after.keys()].filter((name) => from.has(name));
  expect(both).toContain("rotate-signing-key");
  const differing = (about: keyof Version) =>
    both.filter((name) => after.get(name)?.[about] !== from.get(name)?.[about]);
  expect(differing("id")).toEqual(differing("seen"));
  return differing("id").toSorted();
}

describe("a version has a new logical id exactly if something that Lambda sees has changed", () => {
  test("the ids are those of the templates", () => {
    expect([...before.keys()].toSorted()).toEqual(versioned);
    const made = stackOf("full").all("AWS::Lambda::Version");
    expect(made.map(({ id }) => id).toSorted()).toEqual([...before.values()].map(({ id }) => id).toSorted());
  });

  /** The settings of a stage whose change Lambda sees in a function with versions. */
  const seen: readonly SettingName[] = [
    "locale",
    "defaultCountry",
    "unknownParameters",
    "oidcIssuer",
    "edge",
    "tableName",
    "alarmAddress",
    "tracing",
  ];
  /** It leaves fewer versions to compare. */
  const apart = "deployment";

  test.each(seen)("whatever a stage sets %s to", (name) => {
    const renewed = renewedBy({ stage: stageWithOther([name]) });
    expect(renewed).not.toEqual([]);
    if (["tracing", "tableName"].includes(name)) expect(renewed).toEqual(versioned);
  });

  test("no version is a new one for the other settings, all of them at once", () => {
    const unseen = settingNames.filter((name) => !["name", apart, ...seen].includes(name));
    expect(renewedBy({ stage: stageWithOther(unseen) }), "one of them belongs to `seen` above").toEqual([]);
    expect(renewedBy({ stage: stageWithOther([apart]) })).toEqual([]);
  });

  test.each<[string, Synthesis]>([
    ["account and region that are named", { stage: unplaced as Stage }],
    ["another bootstrap stack", { context: { "@aws-cdk/core:bootstrapQualifier": "harbour" } }],
    ["a deploy at once", { context: { release: "now" } }],
    [
      "a CDK that hashes functions otherwise",
      {
        context: {
          "@aws-cdk/aws-lambda:recognizeVersionProps": false,
          "@aws-cdk/aws-lambda:recognizeLayerVersion": false,
          "@aws-cdk/core:enablePartitionLiterals": false,
          "@aws-cdk/core:defaultCrossStackReferences": "strong",
        },
      },
    ],
  ])("no version is a new one for %s", (_, synthesis) => {
    expect(renewedBy(synthesis)).toEqual([]);
  });

  test("every version is a new one for other code, and for another name of its file", () => {
    const [changed, renamed] = [newFolder(), newFolder()];
    writeStubBundles(changed, Object.keys(functions), "other");
    writeStubBundles(
      renamed,
      Object.keys(functions).map((name) => join(name, "deeper")),
    );
    for (const folder of [changed, renamed]) expect(renewedBy({ bundles: folder })).toEqual(versioned);
  });

  test.each<[string, (made: LambdaFunction) => unknown]>([
    ["a text", () => "text"],
    ["another text", () => "other"],
    [
      "an ARN of the stage's account and region",
      (made) => Stack.of(made).formatArn({ service: "sns", resource: "topic" }),
    ],
    ["a reference to another resource", (made) => made.role?.roleArn],
  ])("every version is a new one for a variable with %s, the same one whether account and region are named or not", (_, variable) => {
    const change = (made: LambdaFunction) => void made.addEnvironment("MADE_UP", String(variable(made)));
    expect(renewedBy({ change })).toEqual(versioned);
    expect(renewedBy({ change, stage: unplaced as Stage }, versionsOf({ change }))).toEqual([]);
  });
});

test("account and region change nothing in any template: they only guard the deploy", () => {
  // The places of assets are temporary folders.
  const templatesOf = (stage: Stage) => {
    const app = createUntracedApp({ "aws:cdk:enable-asset-metadata": false });
    new WorkforceStack(app, { stage, service: few, bundles });
    const { directory } = app.synth();
    const files = readdirSync(directory).filter((file) => file.endsWith(".template.json"));
    return files.map((file) => [file, JSON.parse(readFileSync(join(directory, file), "utf8"))]);
  };
  expect(templatesOf(unplaced as Stage)).toEqual(templatesOf(fullStage));
  const environmentOf = (stage: Stage) =>
    new WorkforceStack(createUntracedApp(), { stage, service: few, bundles }).environment;
  expect(environmentOf(fullStage)).toBe("aws://123456789012/eu-west-2");
  expect(environmentOf(unplaced as Stage)).toBe("aws://unknown-account/unknown-region");
}, 60_000);

/** An app that notes no place in the sources: that takes longer than everything else. */
function createUntracedApp(context: Readonly<Record<string, unknown>> = {}) {
  const untraced = { "aws:cdk:disable-asset-staging": true, "aws:cdk:disable-creation-stack-traces": true };
  return createApp({ outdir: newFolder(), treeMetadata: false, context: { ...untraced, ...context } });
}
