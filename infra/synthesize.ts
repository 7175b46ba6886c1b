import type { App } from "aws-cdk-lib";
import { bundleFunctions } from "./functions/bundle.ts";
import { addBundledStack, synthesizeBundled } from "./stack-app.ts";
import type { Stage } from "./stages/stages.ts";
import type { WholeTemplate } from "./whole-template.ts";
import type { WorkforceStack } from "./workforce-stack.ts";

export { createApp } from "./stack-app.ts";

/** Adds a stage's stack to an app, with bundles built from the current sources. */
export function addStack(app: App, stage: Stage): WorkforceStack {
  return addBundledStack(app, stage, bundleFunctions);
}

/** Synthesises a stage's stack with built bundles into an empty folder, without the cdk command and without AWS. */
export function synthesize(stageName: string, outdir: string): WholeTemplate {
  return synthesizeBundled(stageName, outdir, bundleFunctions);
}
