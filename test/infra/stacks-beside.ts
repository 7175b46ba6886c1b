import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App, Stack } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { FirewallStack } from "../../infra/firewall-stack.ts";
import { ProbeStack } from "../../infra/probe-stack.ts";
import { createApp } from "../../infra/synthesize.ts";
import type { DeployedStage } from "../../infra/tools/docs/figures/deployed-figures.ts";
import type { Template } from "../../infra/whole-template.ts";
import { fullStage } from "./stages/owned-stage.ts";

export function synthesizeBeside(make: (app: App) => Stack) {
  const outdir = mkdtempSync(join(tmpdir(), "workforce-beside-"));
  try {
    const app = createApp({ outdir });
    const stack = make(app);
    const { violations } = new AwsSolutionsChecks().validateScope(stack);
    const { environment, template } = app.synth().getStackArtifact(stack.artifactId);
    const faults = violations.map(({ ruleName }) => ruleName);
    const isProtected = stack.terminationProtection;
    return { template: template as Template, region: environment.region, faults, isProtected };
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** The full stage with its check from outside and its firewall. */
export function withStacksBeside({ name, template }: DeployedStage): DeployedStage {
  const beside = [ProbeStack, FirewallStack].map(
    (Kind) => synthesizeBeside((app) => new Kind(app, fullStage)).template,
  );
  const resources = beside.map(({ Resources }) => Resources);
  return { name, template: { Resources: Object.assign({}, template.Resources, ...resources) } };
}
