import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { inject } from "vitest";
import { packagesFolder } from "../../../infra/local/builds/packages.ts";
import { serviceApp } from "../../../infra/local/service-app.ts";
import { assemblyFolder, synthesisFile, synthesizeOnce } from "../../../infra/runtime/stack/synthesis.ts";
import type { Template } from "../../../infra/support/stack-template.ts";
import { copyBundles, copyStages, keep } from "./kept.ts";

/** The folder of a machine with the synthesised stack and no data. */
export function synthesizedMachine(): Promise<string> {
  return onceForRun("machine", async (folder) => {
    mkdirSync(folder);
    await keep("synthesis", async (kept) => {
      await synthesizeOnce(serviceApp, kept);
      copySynthesis(kept, folder);
    });
  });
}

/** The template of the synthesised stack. */
export function synthesizedTemplate(): Promise<Template> {
  return keep("synthesis", async (kept) => (await synthesizeOnce(serviceApp, kept)).template);
}

/** The folder with the bundle of each function as it is deployed. */
export function builtBundles(): Promise<string> {
  return onceForRun("bundles", copyBundles);
}

/** The folder with the synthesis of every stage, as its owner would have it: one file each. */
export function synthesizedStages(): Promise<string> {
  return onceForRun("stages", copyStages);
}

/** Starts a machine's folder with the synthesis and packages of another one. */
export function copySynthesis(from: string, to: string): void {
  for (const part of [assemblyFolder, synthesisFile, packagesFolder]) {
    if (existsSync(part(from))) cpSync(part(from), part(to), { recursive: true });
  }
}

/**
 * Gives the path of a folder or file that `make` makes once for a run, in whichever worker asks for it first. The others wait
 * until it is whole. Rejects in all of them if it cannot be made.
 */
async function onceForRun(name: string, make: (path: string) => Promise<unknown>): Promise<string> {
  const path = join(inject("run"), name);
  if (isFirst(`${path}.begun`)) {
    try {
      await make(`${path}.draft`);
      renameSync(`${path}.draft`, path);
    } catch (error) {
      writeFileSync(`${path}.failed`, String(error));
    }
  }
  while (!existsSync(path)) {
    if (existsSync(`${path}.failed`)) throw new Error(readFileSync(`${path}.failed`, "utf8"));
    await pause(20);
  }
  return path;
}

/** True for one of all workers. */
function isFirst(mark: string): boolean {
  try {
    mkdirSync(mark);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}
