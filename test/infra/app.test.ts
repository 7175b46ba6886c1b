import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { root } from "../../infra/local/stack/synthesis.ts";
import { faultsOf } from "../../infra/stages/stage-rules.ts";
import { findStage } from "../../infra/stages/stages.ts";

const outdir = mkdtempSync(join(tmpdir(), "workforce-app-"));
afterAll(() => rmSync(outdir, { recursive: true }));

test("the app ends with 1 and the sentences alone when a stage still has placeholders", () => {
  expect(synth("prod")).toEqual({ status: 1, stdout: "", stderr: `${faultsOf(findStage("prod")).join("\n")}\n` });
}, 60_000);

test("the app ends with 1 and one sentence when no stage has that name", () => {
  const stderr = 'There is no stage "nope"; the stages are dev, staging, prod, local.\n';
  expect(synth("nope")).toEqual({ status: 1, stdout: "", stderr });
}, 60_000);

/** Runs the app as the cdk command does with `-c stage=<name>`. */
function synth(stage: string): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["infra/app.ts"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ stage }), CDK_OUTDIR: outdir },
  });
  return { status, stdout, stderr };
}
