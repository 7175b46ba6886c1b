import { requireDeployable } from "./stages/stage-rules.ts";
import { findStage, StageRefusal } from "./stages/stages.ts";
import { addStack, createApp } from "./synthesize.ts";

const app = createApp();
try {
  const file = app.node.tryGetContext("stages");
  if (file !== undefined) process.env.WORKFORCE_STAGES = file;
  const release = app.node.tryGetContext("release");
  if (release !== undefined && release !== "now") {
    throw new StageRefusal([`Leave release out, or set it to now (-c release=now): it is ${JSON.stringify(release)}.`]);
  }
  const stage = findStage(app.node.tryGetContext("stage") ?? "dev");
  // The cdk command finds out the region of its credentials.
  requireDeployable(stage, process.env.CDK_DEFAULT_REGION);
  addStack(app, stage);
  app.synth();
} catch (error) {
  if (!(error instanceof StageRefusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
