import { hash } from "node:crypto";
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { namesOf } from "../../stages/names.ts";
import { readJsonFile, writeJsonFile } from "../../support/json-file.ts";
import { root } from "../../support/root.ts";
import type { Template } from "../../support/stack-template.ts";
import { packagesFolder } from "../builds/packages.ts";
import { bundleProgram } from "../builds/program-bundle.ts";
import { runModule } from "../program.ts";

/** The stack as it was synthesised. */
export interface LocalSynthesis {
  template: Template;
  /** Folder with the entry of each function's bundle; the bundles are not built. */
  bundles: string;
  /** Every source file. The stack is unchanged if none of them has changed. */
  sources: string[];
}

interface LastSynthesis {
  digest: string;
  sources: string[];
}

/** The template in the folder of a synthesis. */
const templateFile = `${namesOf("local").stack}.template.json`;

/** Files that decide what the modules import and how. */
const settingFiles = ["package-lock.json", "cdk.json"].map((file) => join(root, file));

/** Synthesises the stack, calling `onBuild` first. Returns the last synthesis instead if no source file has changed. */
export async function synthesizeOnce(directory: string, onBuild?: () => void): Promise<LocalSynthesis> {
  const last = readJsonFile<LastSynthesis>(synthesisFile(directory));
  if (last && last.digest === digestFiles(last.sources)) return readSynthesis(directory, last.sources);
  onBuild?.();
  return synthesizeAgain(directory);
}

/**
 * Synthesises the stack in a process of its own, even if nothing has changed. The last synthesis stays in place until
 * the new one is complete. Rejects with the beginning of the error's message.
 */
export async function synthesizeAgain(directory: string): Promise<LocalSynthesis> {
  const outdir = resolve(`${assemblyFolder(directory)}.next`);
  rmSync(outdir, { recursive: true, force: true });
  const program = await bundleProgram("infra/local/stack/synthesis-program.ts");
  try {
    await runModule(program.code, [outdir]);
  } catch (error) {
    rmSync(outdir, { recursive: true, force: true });
    throw error;
  }
  const sources = [...program.sources, ...settingFiles];
  rmSync(assemblyFolder(directory), { recursive: true, force: true });
  renameSync(outdir, assemblyFolder(directory));
  writeJsonFile(synthesisFile(directory), { digest: digestFiles(sources), sources } satisfies LastSynthesis);
  return readSynthesis(directory, sources);
}

function readSynthesis(directory: string, sources: string[]): LocalSynthesis {
  const folder = assemblyFolder(directory);
  const template = JSON.parse(readFileSync(join(folder, templateFile), "utf8"));
  return { template, bundles: join(folder, "bundles"), sources };
}

/** Starts a machine's folder with the synthesis and packages of another one. */
export function copySynthesis(from: string, to: string): void {
  for (const part of [assemblyFolder, synthesisFile, packagesFolder]) {
    if (existsSync(part(from))) cpSync(part(from), part(to), { recursive: true });
  }
}

function assemblyFolder(directory: string): string {
  return join(directory, "cdk.out");
}

function synthesisFile(directory: string): string {
  return join(directory, "synthesis.json");
}

function digestFiles(files: readonly string[]): string {
  // The root, because a folder copied along with its checkout contains paths of the original.
  const contents = files.map((file) => (existsSync(file) ? readFileSync(file, "utf8") : "\0"));
  return hash("sha256", [root, ...files, ...contents].join("\0"));
}
