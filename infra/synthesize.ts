import { readFileSync } from "node:fs";
import { join } from "node:path";
import { App, type AppProps } from "aws-cdk-lib";
import { readCommit } from "./functions/release.ts";
import type { ServiceTable } from "./functions/service-table.ts";
import { countResources, refuseAboveMost } from "./stage-size.ts";
import type { Stage } from "./stages/stage-shape.ts";
import { findStage } from "./stages/stages.ts";
import type { Template } from "./support/stack-template.ts";
import { WorkforceStack } from "./workforce-stack.ts";

/** Writes the bundle of each function, or a replacement, into a folder of its own below `outdir`. */
type Bundle = (outdir: string) => void;

const commandSettings = new URL("../cdk.json", import.meta.url);

/** An app with the feature flags of cdk.json, which tests and the local machine need without the cdk command, too. */
export function createApp(props: AppProps = {}): App {
  const { context } = JSON.parse(readFileSync(commandSettings, "utf8")) as { context: Record<string, unknown> };
  // A stack with too many resources is refused in a sentence instead.
  const unlimited = { ...context, "@aws-cdk/core:stackResourceLimit": 0 };
  return new App({ ...props, analyticsReporting: false, context: { ...unlimited, ...props.context } });
}

/** Adds a stage's stack to an app. The operations and functions are by default those of the service. */
export function addStack(app: App, stage: Stage, bundle: Bundle, service?: ServiceTable): WorkforceStack {
  const bundles = join(app.outdir, "bundles");
  bundle(bundles);
  const props = { bundles, commit: readCommit(), ...(service && { service }) };
  const stack = new WorkforceStack(app, { stage, ...props });
  const unstaged = {
    context: { "aws:cdk:disable-asset-staging": true, "aws:cdk:disable-creation-stack-traces": true },
  };
  refuseAboveMost(stack, stage, (other) =>
    countResources(new WorkforceStack(createApp(unstaged), { stage: other, ...props })),
  );
  return stack;
}

/** Synthesises a stage's stack into an empty folder, without the cdk command and without AWS. */
export function synthesize(stageName: string, outdir: string, bundle: Bundle): Template {
  // Nothing is deployed from this synthesis, and validating it takes longer than making it.
  const app = createApp({ outdir, builtinCloudFormationValidation: false });
  const stack = addStack(app, findStage(stageName), bundle);
  return app.synth().getStackArtifact(stack.artifactId).template;
}
