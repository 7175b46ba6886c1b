import { describeLock } from "./constructs/stores/table-backups.ts";
import { FirewallStack } from "./firewall-stack.ts";
import { bundleFunctions } from "./functions/bundle.ts";
import { OutsideCheckStack } from "./outside-check-stack.ts";
import { requireDeployable } from "./stages/stage-rules.ts";
import { chooseStage, readStages, type Stage, StageRefusal } from "./stages/stages.ts";
import { addStack, createApp } from "./synthesize.ts";

const app = createApp();
const stacks: Readonly<Record<string, (stage: Stage) => object>> = {
  service: (stage) => addStack(app, stage, bundleFunctions),
  firewall: (stage) => new FirewallStack(app, stage),
  outside: (stage) => new OutsideCheckStack(app, stage),
};
try {
  const release = app.node.tryGetContext("release");
  if (![undefined, "now"].includes(release)) {
    throw new StageRefusal([`Leave release out, or set it to now (-c release=now): it is ${JSON.stringify(release)}.`]);
  }
  const chosen = chooseStage(app.node.tryGetContext("stage") ?? "dev", readStages(app.node.tryGetContext("stages")));
  const { stage, file } = chosen;
  const stack = app.node.tryGetContext("stack") ?? "service";
  if (!Object.hasOwn(stacks, stack)) {
    throw new StageRefusal([`There is no stack "${stack}"; the stacks are ${Object.keys(stacks).join(", ")}.`]);
  }
  // The cdk command takes region and account from its credentials. Stacks beside the service's have a fixed region.
  const region = stack === "service" ? process.env.CDK_DEFAULT_REGION : undefined;
  // The firewall is deployed before its stage can name an edge.
  const named = stack === "firewall" ? { edge: "none" as const, ...stage } : stage;
  if (stack === "outside" && stage.probedHost === undefined) {
    throw new StageRefusal([`Set probedHost of the stage ${stage.name} in ${file} to the host that clients call.`]);
  }
  requireDeployable({ ...chosen, stage: named }, { region, account: process.env.CDK_DEFAULT_ACCOUNT });
  stacks[stack]?.(stage);
  const lock = describeLock(stage);
  if (lock !== undefined) process.stderr.write(`${lock}\n`);
  app.synth();
} catch (error) {
  if (!(error instanceof StageRefusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
