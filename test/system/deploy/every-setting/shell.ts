import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { shellBlocksOf } from "../../runbook/shell-commands.ts";
import type { Account } from "../account.ts";
import { region } from "../emulator.ts";
import { installCli } from "../install.ts";
import { root, runProgram } from "../program.ts";

/** A paste of the runbook runs the AWS CLI thirty times. */
const longestMs = 240_000;
/** Runs commands as whoever follows the runbook does; gives what they printed, and throws where the last one failed. */
export interface Shell {
  (commands: string): Promise<string>;
  close(): void;
}

/** A shell with the AWS CLI, in which the runbook's own helpers are defined for a stage. */
export async function openShell({ emulator, directory }: Account, stage: string): Promise<Shell> {
  const { programs, close } = await serveCli(directory);
  const environment = {
    PATH: [programs, join(root, "node_modules/.bin"), process.env.PATH].join(delimiter),
    HOME: directory,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_PAGER: "",
    CDK_VALIDATION: "false",
    AWS_DEFAULT_OUTPUT: "json",
    ...emulator.clientEnvironment,
  };
  const [helpers = ""] = shellBlocksOf("Before you begin");
  const run = async (commands: string) => {
    const script = ["set -eo pipefail", helpers.replace("STAGE=prod", `STAGE=${stage}`), commands].join("\n");
    const { code, output } = await runProgram("bash", ["-c", script], environment, longestMs);
    if (code !== 0) throw new Error(`${commands}\nended with ${code}:\n${output}`);
    return output.trim();
  };
  return Object.assign(run, { close });
}

/** Starts the one process that runs all commands of the AWS CLI; gives the folder of the program that asks it. */
async function serveCli(directory: string): Promise<{ programs: string; close(): void }> {
  const [python, programs] = [join(await installCli(), "python"), join(directory, "programs")];
  mkdirSync(programs);
  const server = join(import.meta.dirname, "aws.py");
  const child = spawn(python, [server, join(programs, "socket")], { stdio: ["pipe", "pipe", "inherit"] });
  await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  if (child.exitCode !== null) throw new Error(`The AWS CLI ended with ${child.exitCode}`);
  return { programs, close: () => child.stdin.end() };
}
