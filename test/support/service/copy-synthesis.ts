import { cpSync, existsSync } from "node:fs";
import { packagesFolder } from "../../../infra/local/builds/packages.ts";
import { assemblyFolder, synthesisFile } from "../../../infra/runtime/stack/synthesis.ts";

/** Starts a machine's folder with the synthesis and packages of another one. */
export function copySynthesis(from: string, to: string): void {
  for (const part of [assemblyFolder, synthesisFile, packagesFolder]) {
    if (existsSync(part(from))) cpSync(part(from), part(to), { recursive: true });
  }
}
