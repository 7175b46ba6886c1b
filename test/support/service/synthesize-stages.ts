import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import type { TestProject } from "vitest/node";
import { functions } from "../../../infra/functions/functions.ts";
import { type Stage, stageNames } from "../../../infra/stages/stages.ts";
import { WorkforceStack } from "../../../infra/workforce-stack.ts";
import { fullStage, ownedStage } from "./owned-stage.ts";

/** What came of the synthesis of a stage. */
export interface StageSynthesis {
  readonly template: Record<string, unknown>;
  /** Seconds of a processor that the synthesis took. */
  readonly seconds: number;
  /** What cdk-nag's AWS Solutions pack finds fault with. */
  readonly findings: readonly Finding[];
}

/** A rule of cdk-nag, and the path of a construct that breaks it. */
export interface Finding {
  readonly rule: string;
  readonly path: string;
}

declare module "vitest" {
  interface ProvidedContext {
    /** Every stage, its placeholders replaced, and the full one, by name. */
    syntheses: Record<string, StageSynthesis>;
  }
}

/** Synthesises every stage once for the test files that hold laws against them: the CDK takes seconds to load. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "workforce-stages-"));
  const bundles = join(directory, "bundles");
  // A template names its bundles by digest alone: it is the same with empty ones.
  for (const name of Object.keys(functions)) {
    mkdirSync(join(bundles, name), { recursive: true });
    writeFileSync(join(bundles, name, "index.js"), name);
  }
  const stages = [...stageNames.map(ownedStage), fullStage];
  const syntheses = stages.map((stage) => [stage.name, synthesizeStage(stage, directory, bundles)] as const);
  project.provide("syntheses", Object.fromEntries(syntheses));
  return () => rm(directory, { recursive: true });
}

function synthesizeStage(stage: Stage, directory: string, bundles: string): StageSynthesis {
  const began = process.cpuUsage();
  const outdir = join(directory, stage.name);
  const app = new App({ outdir, analyticsReporting: false, context: { "aws:cdk:disable-asset-staging": true } });
  const made = new WorkforceStack(app, { stage, bundles });
  const { template } = app.synth().getStackByName(made.stackName);
  const { user, system } = process.cpuUsage(began);
  const { violations } = new AwsSolutionsChecks().validateScope(made);
  const findings = violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(({ constructPath = "" }) => ({ rule: ruleName, path: constructPath })),
  );
  return { template, seconds: (user + system) / 1_000_000, findings };
}
