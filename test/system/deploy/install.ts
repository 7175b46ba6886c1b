import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../../infra/tools/cli/command.ts";
import { findPython, neededPython } from "../../../infra/tools/cli/python.ts";
import { root, runProgram } from "./program.ts";

const requirements = join(root, "test/system/deploy/requirements.txt");
const environment = join(root, ".local/emulator");
const installed = join(environment, "installed.txt");
const longestMs = 300_000;

/** Installs the emulator into `.local/emulator`, once for each list of versions; gives the Python that runs it. */
export async function installEmulator(): Promise<string> {
  const python = join(environment, "bin/python");
  const wanted = readFileSync(requirements, "utf8");
  if (existsSync(installed) && readFileSync(installed, "utf8") === wanted) return python;
  process.stderr.write("Installing the AWS emulator into .local/emulator …\n");
  const system = findPython();
  if (!system) throw new Error(`The AWS emulator needs ${neededPython}.`);
  rmSync(environment, { recursive: true, force: true });
  await run(system, ["-m", "venv", environment]);
  await run(python, ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "-r", requirements]);
  writeFileSync(installed, wanted);
  return python;
}

async function run(program: string, parameters: readonly string[]): Promise<void> {
  const { code, output } = await runProgram(program, parameters, process.env, longestMs);
  if (code !== 0) throw new Error(`${program} ${parameters.join(" ")} failed:\n${output}`);
}

// The gate installs first, to distinguish a machine without access to Python's packages from a deploy that fails.
if (import.meta.main) await runCommand(async () => Number(!(await installEmulator())));
