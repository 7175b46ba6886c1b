import { requireDeployable } from "./stages/stage-rules.ts";
import { findStage, StageRefusal } from "./stages/stages.ts";
import { addStack, createApp } from "./synthesize.ts";

const app = createApp();
try {
  const file = app.node.tryGetContext("stages");
  if (file !== undefined) process.env.WORKFORCE_STAGES = file;
  const stage = findStage(app.node.tryGetContext("stage") ?? "dev");
  // The cdk command finds out the region and the account of its credentials.
  requireDeployable(stage, {
    region: process.env.CDK_DEFAULT_REGION,
    account: process.env.CDK_DEFAULT_ACCOUNT,
  });
  addStack(app, stage);
  app.synth();
} catch (error) {
  if (!(error instanceof StageRefusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
