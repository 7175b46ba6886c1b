import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App, Stack } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { createApp } from "../../infra/synthesize.ts";
import type { Template } from "../../infra/whole-template.ts";
import { readStack } from "./stack.ts";

/** Synthesises a stack that stands beside a stage's own. */
export function synthesizeBeside(make: (app: App) => Stack) {
  const outdir = mkdtempSync(join(tmpdir(), "workforce-beside-"));
  try {
    const app = createApp({ outdir });
    const stack = make(app);
    const { violations } = new AwsSolutionsChecks().validateScope(stack);
    const { environment, template } = app.synth().getStackArtifact(stack.artifactId);
    const faults = violations.map(({ ruleName }) => ruleName);
    return {
      ...readStack(template as Template),
      region: environment.region,
      faults,
      isProtected: stack.terminationProtection,
    };
  } finally {
    rmSync(outdir, { recursive: true });
  }
}
