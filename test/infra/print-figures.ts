import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { functions } from "../../infra/functions/functions.ts";
import { root } from "../../infra/local/stack/synthesis.ts";
import { figureTables } from "../../infra/tools/docs/figures/figures-page.ts";
import { fullStage } from "./stages/owned-stage.ts";
import { synthesizeStage, withStacksBeside, writeStubBundles } from "./synthesize-stages.ts";

// A program of its own, which `npm run docs` starts: commands import no tests.
const directory = mkdtempSync(join(tmpdir(), "workforce-figures-"));
const bundles = join(directory, "bundles");
try {
  writeStubBundles(bundles, Object.keys(functions));
  const { template } = synthesizeStage({ stage: fullStage, bundles, outdir: join(directory, fullStage.name) });
  const tables = figureTables(root, withStacksBeside({ name: fullStage.name, template }));
  process.stdout.write(JSON.stringify(tables));
} finally {
  rmSync(directory, { recursive: true });
}
