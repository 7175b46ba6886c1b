import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FirewallStack } from "../../../infra/firewall-stack.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { OutsideCheckStack } from "../../../infra/outside-check-stack.ts";
import { tableNameOf } from "../../../infra/stages/names.ts";
import type { Stage } from "../../../infra/stages/stage-shape.ts";
import { settingNames, stageShape } from "../../../infra/stages/stage-shape.ts";
import { findStage } from "../../../infra/stages/stages.ts";
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
/** The settings that the full stage does not show: nothing that may be left out, and another word of each setting that has several. */
const otherStage: Stage = {
  ...findStage("dev"),
  name: "other",
  senderIdentity: "domain",
  recoveryDisclosure: "full",
  registration: "open",
  outboundEvents: "off",
  docs: false,
  tableName: `${tableNameOf({ name: "other" })}-2`,
  frozen: true,
};
const stages = usualOrFull([fullStage, otherStage], [...everyStage, otherStage]);
let linter: string;

beforeAll(async () => {
  linter = await installLinter();
});
afterAll(() => rmSync(directory, { recursive: true }));

test("every setting that may be left out, is a switch or has words is linted in two ways", () => {
  const wayOf = (stage: Stage, name: keyof Stage) => JSON.stringify(stage[name]);
  const chosen = settingNames.filter((name) => {
    const entry = stageShape.entries[name];
    return (
      entry.type === "exact_optional" || entry.type === "boolean" || ("options" in entry && name !== "defaultCountry")
    );
  });
  expect(chosen.length).toBeGreaterThan(30);
  expect(chosen.filter((name) => wayOf(fullStage, name) === wayOf(otherStage, name))).toEqual([]);
});

test.each(stages)("CloudFormation's own schemas take the template of $name", async (stage) => {
  const bundles = join(directory, "bundles");
  writeStubBundles(bundles, Object.keys(functions));
  const outdir = join(directory, stage.name);
  synthesizeStage({ stage, bundles, outdir });
  await expectClean(outdir);
});

test.each([
  FirewallStack,
  OutsideCheckStack,
])("CloudFormation's own schemas take what stands beside a stage: %o", async (Beside) => {
  const outdir = join(directory, Beside.name);
  const app = createApp({ outdir });
  new Beside(app, fullStage);
  app.synth();
  await expectClean(outdir);
});

test("what they do not take is found", async () => {
  const { code, output } = await lint([join(import.meta.dirname, "wrong.template.json")]);
  expect(output).toContain("E3012");
  expect(code).not.toBe(0);
});

async function expectClean(outdir: string): Promise<void> {
  const templates = globSync("*.template.json", { cwd: outdir }).map((file) => join(outdir, file));
  expect(templates).toHaveLength(1);
  expect(await lint(templates)).toEqual({ code: 0, output: "" });
}

function lint(templates: readonly string[]) {
  const call = ["--format", "parseable", "--ignore-checks", ...ignored, "--", ...templates];
  return runProgram(linter, call, process.env, longestMs);
}
