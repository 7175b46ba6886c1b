import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleFolder } from "../../../infra/functions/bundle-places.ts";
import { createApp } from "../../../infra/synthesize.ts";
import { WorkforceStack } from "../../../infra/workforce-stack.ts";
import { getHealth } from "../../../shared/contract/service.ts";
import { copyBundles } from "../../support/service/kept.ts";
import { adoptedStage } from "./adopted-stage.ts";
import { added, nextService } from "./next-service.ts";

// The stage as it is deployed next, under the service name given: every function's bundle has changed, and settings of
// functions, routes and logs; one operation is added, and one is removed.
const [serviceName = ""] = process.argv.slice(2);
const app = createApp();
const bundles = join(app.outdir, "bundles");
await copyBundles(bundles);
cpSync(bundleFolder(bundles, getHealth.name), bundleFolder(bundles, added.name), { recursive: true });
for (const name of Object.keys(nextService.functions)) {
  writeFileSync(join(bundleFolder(bundles, name), "next.txt"), "The next build.\n");
}
const throttle = { requestsPerSecond: 50, burst: 100 };
const settings = { serviceName, throttle, logRetentionDays: 30 } as const;
new WorkforceStack(app, { stage: { ...adoptedStage, ...settings }, bundles, service: nextService });
app.synth();
