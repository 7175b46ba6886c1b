import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { functions } from "../../infra/functions/functions.ts";
import { root } from "../../infra/local/stack/synthesis.ts";
import { figureTables } from "../../infra/tools/docs/figures/figures-page.ts";
import { fullStage } from "../support/service/owned-stage.ts";
import { synthesizeStage, writeStubBundles } from "../support/service/synthesize-stages.ts";

// A program of its own, which `npm run docs` starts: commands import no tests.
const directory = mkdtempSync(join(tmpdir(), "workforce-figures-"));
const bundles = join(directory, "bundles");
try {
  writeStubBundles(bundles, Object.keys(functions));
  const { template } = synthesizeStage({ stage: fullStage, bundles, outdir: join(directory, "out") });
  process.stdout.write(JSON.stringify(figureTables({ template, stage: fullStage.name, root })));
} finally {
  rmSync(directory, { recursive: true });
}
