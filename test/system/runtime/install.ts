import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../../infra/tools/cli/command.ts";
import { root, runProgram } from "../deploy/program.ts";

const client = "aws-lambda-ric";
const version = "4.0.2";
const integrity = "FE5Vskx7mYNnqAnWWJXUOsLp2VGgdsJsCoRLFTa8L4Yk0QVtArqR8q58yPA++QC1a73ZWJXBQ2AH31nIAv7NOQ==";
const folder = join(root, ".local/runtime", version);
const longestMs = 120_000;

/**
 * Unpacks AWS's runtime client for Node into `.local/runtime`, once for each version; gives its program. None of its scripts
 * runs, and nothing is compiled: `native-client.cjs` is its native part.
 */
export async function installRuntimeClient(): Promise<string> {
  const program = join(folder, "package/index.mjs");
  if (existsSync(program)) return program;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run("npm", ["pack", `${client}@${version}`, "--ignore-scripts", "--pack-destination", folder]);
  const archive = join(folder, `${client}-${version}.tgz`);
  const found = createHash("sha512").update(readFileSync(archive)).digest("base64");
  if (found !== integrity) throw new Error(`${client} ${version} is not what it was: its digest is ${found}`);
  await run("tar", ["-xzf", archive, "-C", folder, "package/index.mjs", "package/package.json"]);
  writeFileSync(join(folder, "package/rapid-client.node"), "");
  return program;
}

async function run(program: string, parameters: readonly string[]): Promise<void> {
  const { code, output } = await runProgram(program, parameters, process.env, longestMs);
  if (code !== 0) throw new Error(`${program} ${parameters.join(" ")} failed:\n${output}`);
}

// The gate installs first, to distinguish a machine without access to npm's packages from a bundle that fails.
if (import.meta.main) await runCommand(async () => Number(!(await installRuntimeClient())));
