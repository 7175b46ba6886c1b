import { readFileSync } from "node:fs";
import { join } from "node:path";
import { App, type AppProps } from "aws-cdk-lib";
import { replacementSteps } from "./constructs/stores/records-table.ts";
import { bundleFunctions } from "./functions/bundle.ts";
import { findStage, type Stage, StageRefusal } from "./stages/stages.ts";
import { readWholeTemplate, type WholeTemplate } from "./whole-template.ts";
import { WorkforceStack } from "./workforce-stack.ts";

const commandSettings = new URL("../cdk.json", import.meta.url);

/** An app with the feature flags of cdk.json, whichever program makes it. */
export function createApp(props: AppProps = {}): App {
  const { context } = JSON.parse(readFileSync(commandSettings, "utf8")) as { context: Record<string, unknown> };
  // The cdk command has the templates name their assets: so do the others, as they find nested templates by it.
  const named = { ...context, "aws:cdk:enable-asset-metadata": true, ...props.context };
  return new App({ ...props, analyticsReporting: false, context: named });
}

/** Adds a stage's stack to an app, its bundles built from the sources as they are. */
export function addStack(app: App, stage: Stage): WorkforceStack {
  const bundles = join(app.outdir, "bundles");
  bundleFunctions(bundles);
  return new WorkforceStack(app, { stage, bundles });
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

/** Synthesises a stage's stack into an empty folder, without the cdk command and without AWS. */
export function synthesize(stageName: string, outdir: string): WholeTemplate {
  const app = createApp({ outdir });
  const stack = addStack(app, findStage(stageName));
  return readWholeTemplate(app.synth().directory, stack.templateFile);
}
