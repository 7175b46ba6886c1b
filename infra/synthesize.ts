import { readFileSync } from "node:fs";
import { join } from "node:path";
import { App, type AppProps } from "aws-cdk-lib";
import { readCommit } from "./functions/release.ts";
import { findStage, type Stage } from "./stages/stages.ts";
import type { Template } from "./support/stack-template.ts";
import { WorkforceStack } from "./workforce-stack.ts";

/** Writes the bundle of each function, or a replacement, into a folder of its own below `outdir`. */
type Bundle = (outdir: string) => void;

const commandSettings = new URL("../cdk.json", import.meta.url);

/** An app with the feature flags of cdk.json, which tests and the local machine need without the cdk command, too. */
export function createApp(props: AppProps = {}): App {
  const { context } = JSON.parse(readFileSync(commandSettings, "utf8")) as { context: Record<string, unknown> };
  return new App({ ...props, analyticsReporting: false, context: { ...context, ...props.context } });
}

/** Adds a stage's stack to an app. */
export function addStack(app: App, stage: Stage, bundle: Bundle): WorkforceStack {
  const bundles = join(app.outdir, "bundles");
  bundle(bundles);
  return new WorkforceStack(app, { stage, bundles, commit: readCommit() });
}

/** Synthesises a stage's stack into an empty folder, without the cdk command and without AWS. */
export function synthesize(stageName: string, outdir: string, bundle: Bundle): Template {
  // Nothing is deployed from this synthesis, and validating it takes longer than making it.
  const app = createApp({ outdir, builtinCloudFormationValidation: false });
  const stack = addStack(app, findStage(stageName), bundle);
  return app.synth().getStackArtifact(stack.artifactId).template;
}
