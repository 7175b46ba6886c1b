import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { namesOf } from "../../../infra/stages/names.ts";
import { faultsOf } from "../../../infra/stages/stage-rules.ts";
import { findStage, ownStages } from "../../../infra/stages/stages.ts";
import { root } from "../../../infra/support/root.ts";
import { createApp } from "../../../infra/synthesize.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { ownedStage } from "./owned-stage.ts";

const outdir = newFolder();

test("the app ends with 1 and the sentences alone when a stage still has placeholders", async () => {
  const { status, stdout, stderr } = await synth("prod");
  const [edge, ...placeholders] = stderr.trim().split("\n").toReversed();
  expect({ status, stdout, placeholders: placeholders.toReversed() }).toEqual({
    status: 1,
    stdout: "",
    placeholders: faultsOf({ ...ownStages, stage: findStage("prod") }),
  });
  expect(edge).toMatch(/^Set edge of the stage prod /);
});

const refused = writeStages("wrong", { dev: { ...findStage("dev"), origins: {} } });

test.each<[what: string, stage: string, context: object, said: RegExp]>([
  ["no stage has that name", "nope", {}, /^There is no stage "nope"; the stages are dev, staging, prod, local\.\n$/],
  [
    "release is anything but now",
    "dev",
    { release: "nwo" },
    /^Leave release out, or set it to now \(-c release=now\): it is "nwo"\.\n$/,
  ],
  ["a setting is wrong, before anything is made", "dev", { stages: refused }, /^Set origins of the stage dev /],
  [
    "no stack has that name",
    "dev",
    { stack: "nowhere" },
    /^There is no stack "nowhere"; the stacks are service, .*\.\n$/,
  ],
  [
    "a stage does not say at which host it is to be asked from outside; dev, if none is named",
    "dev",
    { stack: "outside", stage: undefined },
    /^Set probedHost of the stage dev in infra\/stages\/stages\.ts to the host that clients call\.\n$/,
  ],
])("the app ends with 1 and one sentence when %s", async (_, stage, context, said) => {
  expect(await synth(stage, context)).toEqual({ status: 1, stdout: "", stderr: expect.stringMatching(said) });
});

test("the app makes the firewall of a stage that cannot name an edge yet", async () => {
  const keeping = { ...ownedStage("prod"), edge: undefined, region: "eu-west-2" };
  const context = { stages: writeStages("stages", { prod: keeping }), "aws:cdk:enable-path-metadata": false };
  const firewall = { ...context, stack: "firewall", release: "now" };
  expect(await synth("prod", firewall)).toEqual({ status: undefined, stdout: "", stderr: "" });
  expect(existsSync(join(outdir, `${namesOf("prod").firewall}.template.json`))).toBe(true);
  const { status, stderr } = await synth("prod", context);
  // The firewall is in one region, whatever the stage's is.
  const said = /^Set AWS_REGION to eu-west-2, .*: it is us-east-1\.\nSet edge of the stage prod /;
  expect([status, stderr]).toEqual([1, expect.stringMatching(said)]);
});

test("the app says what a lock keeps from being deleted, and until when", async () => {
  const stages = writeStages("locked", { prod: { ...ownedStage("prod"), backupLockDays: 14 } });
  const { status, stderr } = await synth("prod", { stages, stack: "firewall" });
  expect([status, stderr]).toEqual([
    undefined,
    expect.stringMatching(/^No backup in the vault workforce-prod can be deleted before it is 14 days old /),
  ]);
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

/** Loads the app as the cdk command does with `-c stage=<name>` and other context; to start it takes a second of a processor. */
async function synth(stage: string, context: object = {}) {
  const texts = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      texts[name] += text;
      return true;
    }),
  );
  const { exitCode } = process;
  const listeners = process.listeners("beforeExit");
  vi.stubEnv("CDK_CONTEXT_JSON", JSON.stringify({ stage, ...context }));
  vi.stubEnv("CDK_OUTDIR", outdir);
  vi.stubEnv("CDK_DEFAULT_REGION", "us-east-1");
  vi.resetModules();
  try {
    await import("../../../infra/app.ts");
    return { status: process.exitCode, ...texts };
  } finally {
    process.exitCode = exitCode;
    // The app would synthesise again when this process ends.
    for (const each of process.listeners("beforeExit")) if (!listeners.includes(each)) process.off("beforeExit", each);
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}
