import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { functions } from "../../infra/functions/functions.ts";
import { root } from "../../infra/local/stack/synthesis.ts";
import type { Stage } from "../../infra/stages/stages.ts";
import { figureTables } from "../../infra/tools/docs/figures/figures-page.ts";
import { withStacksBeside } from "./stacks-beside.ts";
import { fullStage, ownedStage } from "./stages/owned-stage.ts";
import { synthesizeStage, writeStubBundles } from "./synthesize-stages.ts";

// A program of its own, which `npm run docs` starts: commands import no tests.
const directory = mkdtempSync(join(tmpdir(), "workforce-figures-"));
const bundles = join(directory, "bundles");
const deployed = (stage: Stage) => {
  const { template } = synthesizeStage({ stage, bundles, outdir: join(directory, stage.name) });
  return { name: stage.name, template };
};
try {
  writeStubBundles(bundles, Object.keys(functions));
  const tables = figureTables(root, withStacksBeside(deployed(fullStage)), deployed(ownedStage("prod")));
  process.stdout.write(JSON.stringify(tables));
} finally {
  rmSync(directory, { recursive: true });
}
