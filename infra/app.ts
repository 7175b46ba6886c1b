import { FirewallStack } from "./firewall-stack.ts";
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
  const stack = app.node.tryGetContext("stack") ?? "service";
  if (stack === "firewall") new FirewallStack(app, stage);
  else if (stack !== "service")
    throw new StageRefusal([`There is no stack "${stack}"; the stacks are service, firewall.`]);
  else {
    requireDeployable(stage, process.env.CDK_DEFAULT_REGION);
    addStack(app, stage);
  }
  app.synth();
} catch (error) {
  if (!(error instanceof StageRefusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
