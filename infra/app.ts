import { App } from "aws-cdk-lib";
import { addStack } from "./synthesize.ts";

const app = new App();
addStack(app, app.node.tryGetContext("stage") ?? "dev");
app.synth();
