import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { bundleFunctions } from "./functions/bundle.ts";
import { requireDeployable } from "./stages/stage-rules.ts";
import { findStage } from "./stages/stages.ts";
import { WorkforceStack } from "./workforce-stack.ts";

/** A synthesised stack: its CloudFormation template, and the folder that asset paths are relative to. */
export interface Synthesis {
  readonly template: Record<string, unknown>;
  readonly directory: string;
}

/** Adds a stage's stack to an app, its bundles built anew; throws a StageRefusal where the stage cannot be deployed. */
export function addStack(app: App, stageName: string): WorkforceStack {
  const stage = findStage(stageName);
  // The cdk command tells the region of the credentials it found.
  requireDeployable(stage, process.env.CDK_DEFAULT_REGION);
  const bundles = join(app.outdir, "bundles");
  bundleFunctions(bundles);
  return new WorkforceStack(app, { stage, bundles });
}

/** Synthesises a stage's stack into a folder, without the cdk command and without AWS. */
export function synthesize(stageName: string, outdir: string): Synthesis {
  const app = new App({ outdir, analyticsReporting: false });
  const stack = addStack(app, stageName);
  const assembly = app.synth();
  return { template: assembly.getStackByName(stack.stackName).template, directory: assembly.directory };
}
