import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { bundleFunctions } from "../../../infra/functions/bundle.ts";
import { startEngine } from "../../../infra/local/engine/engine.ts";
import type { TableDefinition } from "../../../infra/local/engine/local-table.ts";
import { copySynthesis, type LocalSynthesis, root, synthesizeOnce } from "../../../infra/local/stack/synthesis.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the DynamoDB engine that all test files share, each with tables of its own. */
    engineEndpoint: string;
    engineName: string;
    /** The table as the stack defines it. */
    tableDefinition: TableDefinition;
    /** The template of the synthesised stack. */
    template: Record<string, unknown>;
    /** Folder that the bundles were built into. */
    bundles: string;
    /** Folder of a machine with that synthesis and no data. */
    synthesized: string;
    /** Folder where test files leave what they record for the end of the run. */
    recordings: string;
  }
}

const last = join(root, ".local/test-synthesis");

/** Starts one DynamoDB engine for the run, and reads the table's definition from the synthesised stack. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "workforce-test-"));
  const { template, bundles } = await synthesizeForRun(directory);
  const engine = await startEngine();
  project.provide("engineEndpoint", engine.endpoint);
  project.provide("engineName", engine.name);
  project.provide("tableDefinition", tableOf(template));
  project.provide("template", template);
  project.provide("bundles", bundles);
  project.provide("synthesized", directory);
  project.provide("recordings", await mkdtemp(join(directory, "recordings-")));
  return async () => {
    await engine.close();
    await rm(directory, { recursive: true });
  };
}

/**
 * Takes the synthesis and the bundles of the last run, where nothing they were made from has changed since, and leaves its own
 * for the next.
 */
async function synthesizeForRun(directory: string): Promise<LocalSynthesis> {
  takeSynthesis(directory);
  let isNew = false;
  const synthesis = await synthesizeOnce(directory, () => {
    isNew = true;
  });
  if (bundleOnce(synthesis.bundles) || isNew) leaveSynthesis(directory);
  return synthesis;
}

/** Builds what is deployed, where the bundles are not there or of other sources; true where it did. */
function bundleOnce(bundles: string): boolean {
  const file = join(bundles, "sources.sha256");
  const digest = digestSources();
  if (existsSync(file) && readFileSync(file, "utf8") === digest) return false;
  rmSync(file, { force: true });
  bundleFunctions(bundles);
  writeFileSync(file, digest);
  return true;
}

/** Of every file that a bundle, or the document that is put into it, may be made from. */
function digestSources(): string {
  const folders = ["functions", "infra", "shared"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  const digest = createHash("sha256").update(process.version);
  for (const path of ["package-lock.json", ...folders.sort()]) {
    const file = join(root, path);
    if (statSync(file).isFile()) digest.update(path).update("\0").update(readFileSync(file));
  }
  return digest.digest("hex");
}

function takeSynthesis(directory: string): void {
  try {
    copySynthesis(last, directory);
  } catch (error) {
    // Another run has just put its own in place: this run makes one.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    rmSync(directory, { recursive: true });
    mkdirSync(directory);
  }
}

function leaveSynthesis(directory: string): void {
  mkdirSync(join(root, ".local"), { recursive: true });
  const own = mkdtempSync(`${last}-`);
  copySynthesis(directory, own);
  rmSync(last, { recursive: true, force: true });
  try {
    renameSync(own, last);
  } catch (error) {
    // Another run was quicker.
    if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
    rmSync(own, { recursive: true });
  }
}

function tableOf(template: Record<string, unknown>): TableDefinition {
  const resources = Object.values(template.Resources as Record<string, { Type: string; Properties: unknown }>);
  const table = resources.find(({ Type }) => Type === "AWS::DynamoDB::GlobalTable");
  if (!table) throw new Error("The stack has no table");
  return table.Properties as TableDefinition;
}
