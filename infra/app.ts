import { App } from "aws-cdk-lib";
import { StageRefusal } from "./stages/stages.ts";
import { addStack } from "./synthesize.ts";

const app = new App();
try {
  addStack(app, app.node.tryGetContext("stage") ?? "dev");
  app.synth();
} catch (error) {
  if (!(error instanceof StageRefusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
