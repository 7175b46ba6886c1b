import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, runProgram } from "./program.ts";
import { findPython, neededPython } from "./python.ts";

const longestMs = 300_000;
/** Each file has a hash, and none runs a script. */
const pipFlags = ["--disable-pip-version-check", "--no-input", "--require-hashes", "--only-binary", ":all:"];

/** The packages to install: the name of their folder in `.local`, their purpose in words, and their list of versions. */
export interface PythonPackages {
  readonly folder: string;
  readonly title: string;
  readonly requirements: string;
}

/** Installs Python's packages into a folder of `.local`, once for each list of versions; gives the folder of its programs. */
export async function installPackages({ folder, title, requirements }: PythonPackages): Promise<string> {
  const environment = join(root, ".local", folder);
  const [installed, python] = [join(environment, "installed.txt"), join(environment, "bin/python")];
  const wanted = readFileSync(requirements, "utf8");
  if (existsSync(installed) && readFileSync(installed, "utf8") === wanted) return join(environment, "bin");
  process.stderr.write(`Installing ${title} into .local/${folder} …\n`);
  const system = findPython();
  if (!system) throw new Error(`${title} needs ${neededPython}.`);
  rmSync(environment, { recursive: true, force: true });
  await run(system, ["-m", "venv", environment]);
  await run(python, ["-m", "pip", "install", ...pipFlags, "--requirement", requirements]);
  writeFileSync(installed, wanted);
  return join(environment, "bin");
}

async function run(program: string, parameters: readonly string[]): Promise<void> {
  const { code, output } = await runProgram(program, parameters, process.env, longestMs);
  if (code !== 0) throw new Error(`${program} ${parameters.join(" ")} failed:\n${output}`);
}

/** Installs the emulator into `.local/emulator`; gives the Python that runs it. */
export async function installEmulator(): Promise<string> {
  const requirements = join(root, "test/system/deploy/requirements.txt");
  return join(await installPackages({ folder: "emulator", title: "The AWS emulator", requirements }), "python");
}

/** Installs the AWS CLI into `.local/aws-cli`; gives the folder of its programs. */
export function installCli(): Promise<string> {
  const requirements = join(root, "test/system/programs/requirements.txt");
  return installPackages({ folder: "aws-cli", title: "The AWS CLI", requirements });
}
