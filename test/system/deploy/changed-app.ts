import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleFolder, bundleFunctions } from "../../../infra/functions/bundle.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { findStage } from "../../../infra/stages/stages.ts";
import { createApp } from "../../../infra/synthesize.ts";
import { WorkforceStack } from "../../../infra/workforce-stack.ts";
import { adoptedStage } from "./adopted-stage.ts";

// The stage as it is deployed next, under the service name given: every function's bundle has changed, and settings of
// functions, routes and logs.
const [serviceName = ""] = process.argv.slice(2);
const app = createApp();
const stage = findStage(adoptedStage.name);
const bundles = join(app.outdir, "bundles");
bundleFunctions(bundles);
for (const name of Object.keys(functions)) {
  writeFileSync(join(bundleFolder(bundles, name), "next.txt"), "The next build.\n");
}
const throttle = { requestsPerSecond: 50, burst: 100 };
new WorkforceStack(app, { stage: { ...stage, serviceName, throttle, logRetentionDays: 30 }, bundles });
app.synth();
