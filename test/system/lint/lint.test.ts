import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FirewallStack } from "../../../infra/firewall-stack.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { ProbeStack } from "../../../infra/probe-stack.ts";
import { createApp } from "../../../infra/synthesize.ts";
import { fullStage } from "../../infra/stages/owned-stage.ts";
import { everyStage, synthesizeStage, writeStubBundles } from "../../infra/synthesize-stages.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { runProgram } from "../deploy/program.ts";
import { installLinter } from "./install.ts";

const directory = mkdtempSync(join(tmpdir(), "workforce-lint-"));
const longestMs = 240_000;
// The CDK names roles twice in DependsOn, which does no harm; matters of style are no faults.
const ignored = ["W3005", "I"];
/** The stage with every setting, and one with the fewest; the others are between them. */
const stages = usualOrFull(
  everyStage.filter(({ name }) => name === fullStage.name || name === "dev"),
  everyStage,
);
let linter: string;

beforeAll(async () => {
  linter = await installLinter();
});
afterAll(() => rmSync(directory, { recursive: true }));

test.each(stages)("CloudFormation's own schemas take every template of $name", async (stage) => {
  const bundles = join(directory, "bundles");
  writeStubBundles(bundles, Object.keys(functions));
  const outdir = join(directory, stage.name);
  synthesizeStage({ stage, bundles, outdir });
  await expectClean(outdir, 3);
});

test.each([
  FirewallStack,
  ProbeStack,
])("CloudFormation's own schemas take what stands beside a stage: %o", async (Beside) => {
  const outdir = join(directory, Beside.name);
  const app = createApp({ outdir });
  new Beside(app, fullStage);
  app.synth();
  await expectClean(outdir, 1);
});

test("what they do not take is found", async () => {
  const { code, output } = await lint([join(import.meta.dirname, "wrong.template.json")]);
  expect(output).toContain("E3012");
  expect(code).not.toBe(0);
});

async function expectClean(outdir: string, least: number): Promise<void> {
  const templates = globSync("*.template.json", { cwd: outdir }).map((file) => join(outdir, file));
  expect(templates.length).toBeGreaterThanOrEqual(least);
  expect(await lint(templates)).toEqual({ code: 0, output: "" });
}

function lint(templates: readonly string[]) {
  const call = ["--format", "parseable", "--ignore-checks", ...ignored, "--", ...templates];
  return runProgram(linter, call, process.env, longestMs);
}
