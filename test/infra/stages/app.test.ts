import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { faultsOf } from "../../../infra/stages/stage-rules.ts";
import { findStage } from "../../../infra/stages/stages.ts";
import { createApp } from "../../../infra/synthesize.ts";

const outdir = mkdtempSync(join(tmpdir(), "workforce-app-"));
afterAll(() => rmSync(outdir, { recursive: true }));

test("the app ends with 1 and the sentences alone when a stage still has placeholders", () => {
  expect(synth("prod")).toEqual({ status: 1, stdout: "", stderr: `${faultsOf(findStage("prod")).join("\n")}\n` });
}, 60_000);

test("the app ends with 1 and one sentence when no stage has that name", () => {
  const stderr = 'There is no stage "nope"; the stages are dev, staging, prod, local.\n';
  expect(synth("nope")).toEqual({ status: 1, stdout: "", stderr });
}, 60_000);

test("the app ends with 1 when release is anything but now", () => {
  const stderr = 'Leave release out, or set it to now (-c release=now): it is "nwo".\n';
  expect(synth("dev", { release: "nwo" })).toEqual({ status: 1, stdout: "", stderr });
}, 60_000);

test("the app ends with 1 when a stage does not say at which host it is to be asked from outside", () => {
  const stderr = "Set probedHost of the stage dev in infra/stages/stages.ts to the host that clients call.\n";
  expect(synth("dev", { stack: "probe" })).toEqual({ status: 1, stdout: "", stderr });
}, 60_000);

test("cdk.json decides every feature flag that the CDK recommends, and every synthesis has them", () => {
  const recommended = createRequire(import.meta.url)("aws-cdk-lib/recommended-feature-flags.json") as object;
  const { context } = JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")) as { context: object };
  expect(Object.keys(context)).toEqual(expect.arrayContaining(Object.keys(recommended)));
  const { node } = createApp({ outdir });
  for (const [flag, value] of Object.entries(context)) expect(node.tryGetContext(flag), flag).toEqual(value);
});

/** Runs the app as the cdk command does with `-c stage=<name>` and other context. */
function synth(stage: string, context: object = {}): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["infra/app.ts"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ stage, ...context }), CDK_OUTDIR: outdir },
  });
  return { status, stdout, stderr };
}
