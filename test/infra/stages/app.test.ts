import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { BUNDLING_STACKS, CloudAssembly, FAIL_SYNTH_ON_VALIDATION_ERRORS_CONTEXT } from "aws-cdk-lib/cx-api";
import { expect, test, vi } from "vitest";
import { hashesIn } from "../../../infra/functions/bundle-places.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { runApp } from "../../../infra/stage-app.ts";
import { namesOf } from "../../../infra/stages/names.ts";
import { faultsOf } from "../../../infra/stages/stage-rules.ts";
import type { Stage } from "../../../infra/stages/stage-shape.ts";
import { findStage, ownStages } from "../../../infra/stages/stages.ts";
import { root } from "../../../infra/support/root.ts";
import { createApp } from "../../../infra/synthesize.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { ownedStage } from "./owned-stage.ts";

const outdir = newFolder();
const stacks = ({ name }: Stage) => `Stacks of the stage ${name}: ${namesOf(name).stack}`;

test("a stage that still has placeholders says so as errors of its stacks, which the cdk command prints when they are selected", () => {
  const prod = findStage("prod");
  const { firewall, stack } = namesOf("prod");
  const said = `${stacks(prod)}, ${firewall}\n`;
  expect(synth("prod")).toEqual({ status: undefined, stdout: "", stderr: said });
  const placeholders = faultsOf({ ...ownStages, stage: prod });
  expect(placeholders.length).toBeGreaterThan(2);
  expect(saidOf(stack, "error")).toEqual([...placeholders, expect.stringMatching(/^Set edge of the stage prod /)]);
  // It is deployed before its stage can name an edge.
  expect(saidOf(firewall, "error")).toEqual(placeholders);
});

const refused = writeStages("wrong", { dev: { ...findStage("dev"), name: "Dev" } });

test.each<[what: string, stage: string, context: object, said: RegExp]>([
  ["no stage has that name", "nope", {}, /^There is no stage "nope"; the stages are dev, staging, prod, local\.\n$/],
  [
    "release is anything but now",
    "dev",
    { release: "nwo" },
    /^Leave release out, or set it to now \(-c release=now\): it is "nwo"\.\n$/,
  ],
  ["a file of stages cannot be read", "dev", { stages: "none.json" }, /^There is no file none\.json with stages\.\n$/],
  ["a stage has another name than its key", "dev", { stages: refused }, /^Set name of the stage dev in .*\n$/],
  [
    "no stack can have the stage's name",
    "Dev",
    { stages: writeStages("named", { Dev: { ...findStage("dev"), name: "Dev" } }) },
    /^Set name of the stage Dev in .* to a word of up to 20 lower-case letters.*\n$/,
  ],
  [
    "the stage is this machine's, whatever a file has",
    "local",
    { stages: writeStages("local", { local: { ...ownedStage("prod"), name: "local" } }) },
    /^The stage local is this machine's: it is not deployed\.\n$/,
  ],
  [
    "the stage has no stack of that name; dev, if none is named",
    "dev",
    { stage: undefined, [BUNDLING_STACKS]: ["Workforce-dev-outside"] },
    /^There is no stack Workforce-dev-outside\. Stacks of the stage dev: Workforce-dev \(-c stage=NAME chooses another stage\)\.\n$/,
  ],
])("the app ends with 1 and one sentence when %s", (_, stage, context, said) => {
  expect(synth(stage, context)).toEqual({ status: 1, stdout: "", stderr: expect.stringMatching(said) });
});

test("a stage has the stacks that it can have; functions are bundled only for the service that is selected", () => {
  const dev = findStage("dev");
  const watched = { ...ownedStage("prod"), region: "eu-west-2", probedHost: "api.harbour-logistics.co.uk" };
  const { edge, ...undecided } = watched;
  const { stack, firewall, outside } = namesOf("prod");
  const context = { stages: writeStages("stages", { dev, prod: undecided }) };
  expect(synth("dev", { ...context, [BUNDLING_STACKS]: [] }).stderr).toBe("");
  expect(madeStacks()).toEqual([namesOf("dev").stack]);
  const selected = { ...context, [BUNDLING_STACKS]: [firewall] };
  const all = `${stacks(undecided)}, ${firewall}, ${outside}\n`;
  expect(synth("prod", selected)).toEqual({ status: undefined, stdout: "", stderr: all });
  expect(madeStacks()).toEqual([stack, firewall, outside]);
  // The firewall is deployed before its stage can name an edge, in its one region.
  expect(saidOf(firewall, "error")).toEqual([]);
  const elsewhere = expect.stringMatching(/^Set AWS_REGION to eu-west-2, .*: it is us-east-1\.$/);
  expect(saidOf(stack, "error")).toEqual([elsewhere, expect.stringMatching(/^Set edge of the stage prod /)]);
  expect(hashesIn(join(outdir, "bundles"), Object.keys(functions)), "no bundle").toEqual([]);
});

test("the app says what a lock keeps from being deleted, and until when, with the service's stack alone", () => {
  const stages = writeStages("locked", { prod: { ...ownedStage("prod"), backupLockDays: 14 } });
  const { stack, firewall } = namesOf("prod");
  expect(synth("prod", { stages, [BUNDLING_STACKS]: [firewall] }).status).toBeUndefined();
  expect(saidOf(stack, "warning")).toEqual([
    expect.stringMatching(/^No backup in the vault workforce-prod can be deleted before it is 14 days old /),
  ]);
  expect(saidOf(firewall, "warning")).toEqual([]);
});

test("cdk.json decides every feature flag that the CDK recommends, and every synthesis has them", () => {
  const recommended = createRequire(import.meta.url)("aws-cdk-lib/recommended-feature-flags.json") as object;
  const { context } = JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")) as { context: object };
  expect(Object.keys(context)).toEqual(expect.arrayContaining(Object.keys(recommended)));
  const { node } = createApp({ outdir });
  for (const [flag, value] of Object.entries(context)) expect(node.tryGetContext(flag), flag).toEqual(value);
  const [flag = ""] = Object.keys(context);
  expect(createApp({ outdir, context: { [flag]: "own" } }).node.tryGetContext(flag), "a program's own").toBe("own");
});

function writeStages(name: string, stages: object): string {
  const file = join(outdir, `${name}.json`);
  writeFileSync(file, JSON.stringify(stages));
  return file;
}

/** Runs the app as the cdk command does with `-c stage=<name>` and other context. */
function synth(stage: string, context: object = {}) {
  const texts = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      texts[name] += text;
      return true;
    }),
  );
  const { exitCode } = process;
  const listeners = process.listeners("beforeExit");
  const ofCommand = { "aws:cdk:enable-path-metadata": false, [FAIL_SYNTH_ON_VALIDATION_ERRORS_CONTEXT]: false };
  vi.stubEnv("CDK_CONTEXT_JSON", JSON.stringify({ ...ofCommand, stage, ...context }));
  vi.stubEnv("CDK_OUTDIR", outdir);
  vi.stubEnv("CDK_DEFAULT_REGION", "us-east-1");
  try {
    runApp();
    return { status: process.exitCode, ...texts };
  } finally {
    process.exitCode = exitCode;
    // The app would synthesise again when this process ends.
    for (const each of process.listeners("beforeExit")) if (!listeners.includes(each)) process.off("beforeExit", each);
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}

function madeStacks(): string[] {
  return new CloudAssembly(outdir).stacks.map(({ stackName }) => stackName);
}

/** The sentences of a stack that the cdk command prints when it is selected. */
function saidOf(stack: string, wanted: "error" | "warning"): string[] {
  const { messages } = new CloudAssembly(outdir).getStackByName(stack);
  return messages.filter(({ level }) => level === wanted).map(({ entry }) => String(entry.data));
}
