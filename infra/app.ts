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
  const stack = app.node.tryGetContext("stack") ?? "service";
  if (!["service", "firewall"].includes(stack)) {
    throw new StageRefusal([`There is no stack "${stack}"; the stacks are service, firewall.`]);
  }
  const isFirewall = stack === "firewall";
  // The cdk command finds out the region and the account of its credentials. The firewall has a region of its own.
  const region = isFirewall ? undefined : process.env.CDK_DEFAULT_REGION;
  requireDeployable(stage, { region, account: process.env.CDK_DEFAULT_ACCOUNT });
  if (isFirewall) new FirewallStack(app, stage);
  else addStack(app, stage);
  app.synth();
} catch (error) {
  if (!(error instanceof StageRefusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
