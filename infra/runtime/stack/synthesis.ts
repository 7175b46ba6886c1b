import { hash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { readJsonFile, writeJsonFile } from "../../support/json-file.ts";
import { root } from "../../support/root.ts";
import type { Template } from "../../support/stack-template.ts";
import { runModule } from "../program.ts";
import { bundleProgram } from "../program-bundle.ts";

/** A CDK app of one stack, and how it is synthesised. */
export interface App {
  /** A module that synthesises the stack into the folder given as its argument, without building bundles; from the root. */
  readonly program: string;
  /** The name of its stack. */
  readonly stack: string;
}

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

/** Files that decide what the modules import and how. */
const settingFiles = ["package-lock.json", "cdk.json"].map((file) => join(root, file));

/** Synthesises the stack, calling `onBuild` first. Returns the last synthesis instead if no source file has changed. */
export async function synthesizeOnce(app: App, directory: string, onBuild?: () => void): Promise<LocalSynthesis> {
  const last = readJsonFile<LastSynthesis>(synthesisFile(directory));
  if (last && last.digest === digestFiles(last.sources)) return readSynthesis(app, directory, last.sources);
  onBuild?.();
  return synthesizeAgain(app, directory);
}

/**
 * Synthesises the stack in a process of its own, even if nothing has changed. The last synthesis stays in place until
 * the new one is complete. Rejects with the beginning of the error's message.
 */
export async function synthesizeAgain(app: App, directory: string): Promise<LocalSynthesis> {
  const outdir = resolve(`${assemblyFolder(directory)}.next`);
  rmSync(outdir, { recursive: true, force: true });
  const program = await bundleProgram(app.program);
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
  return readSynthesis(app, directory, sources);
}

function readSynthesis({ stack }: App, directory: string, sources: string[]): LocalSynthesis {
  const folder = assemblyFolder(directory);
  const template = JSON.parse(readFileSync(join(folder, `${stack}.template.json`), "utf8"));
  return { template, bundles: join(folder, "bundles"), sources };
}

/** The folder of the synthesised stack in a machine's folder. */
export function assemblyFolder(directory: string): string {
  return join(directory, "cdk.out");
}

/** The file that says what the synthesis was made from. */
export function synthesisFile(directory: string): string {
  return join(directory, "synthesis.json");
}

function digestFiles(files: readonly string[]): string {
  // The root, because a folder copied along with its checkout contains paths of the original.
  const contents = files.map((file) => (existsSync(file) ? readFileSync(file, "utf8") : "\0"));
  return hash("sha256", [root, ...files, ...contents].join("\0"));
}
