import type { App } from "aws-cdk-lib";
import { replacementSteps } from "./constructs/stores/records-table.ts";
import { bundleFunctions } from "./functions/bundle.ts";
import { addBundledStack, synthesizeBundled } from "./stack-app.ts";
import { type Stage, StageRefusal } from "./stages/stages.ts";
import type { WholeTemplate } from "./whole-template.ts";
import { WorkforceStack } from "./workforce-stack.ts";

export { createApp } from "./stack-app.ts";

/** Adds a stage's stack to an app, with bundles built from the current sources. */
export function addStack(app: App, stage: Stage): WorkforceStack {
  return addBundledStack(app, stage, bundleFunctions);
}

/**
 * Adds a stage's stack as it is on the way from release 0.1: without functions, at the step of replacing the table's indexes
 * that the context `step` says. Throws a StageRefusal where that is none.
 */
export function addEmptiedStack(app: App, stage: Stage): WorkforceStack {
  const replacementStep = Number(app.node.tryGetContext("step"));
  if (Number.isInteger(replacementStep) && replacementStep >= 1 && replacementStep <= replacementSteps) {
    return new WorkforceStack(app, { stage, bundles: "", emptied: { replacementStep } });
  }
  throw new StageRefusal([`Say which step: -c step=1 to -c step=${replacementSteps} (infra/UPGRADE.md, From 0.1.0).`]);
}

/** Synthesises a stage's stack with built bundles into an empty folder, without the cdk command and without AWS. */
export function synthesize(stageName: string, outdir: string): WholeTemplate {
  return synthesizeBundled(stageName, outdir, bundleFunctions);
}
