import { delimiter, join } from "node:path";
import { shellBlocksOf } from "../../runbook/shell-commands.ts";
import type { Account } from "../account.ts";
import { region } from "../emulator.ts";
import { installCli } from "../install.ts";
import { root, runProgram } from "../program.ts";

/** A paste of the runbook starts the AWS CLI thirty times, which takes seconds each where the processors are busy. */
const longestMs = 240_000;
/** Runs commands as whoever follows the runbook does; gives what they printed, and throws where the last one failed. */
export type Shell = (commands: string) => Promise<string>;

/** A shell with the AWS CLI, in which the runbook's own helpers are defined for a stage. */
export async function openShell({ emulator, directory }: Account, stage: string): Promise<Shell> {
  const environment = {
    PATH: [await installCli(), join(root, "node_modules/.bin"), process.env.PATH].join(delimiter),
    HOME: directory,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_PAGER: "",
    CDK_VALIDATION: "false",
    AWS_DEFAULT_OUTPUT: "json",
    ...emulator.clientEnvironment,
  };
  const [helpers = ""] = shellBlocksOf("Before you begin");
  return async (commands) => {
    const script = ["set -eo pipefail", helpers.replace("STAGE=prod", `STAGE=${stage}`), commands].join("\n");
    const { code, output } = await runProgram("bash", ["-c", script], environment, longestMs);
    if (code !== 0) throw new Error(`${commands}\nended with ${code}:\n${output}`);
    return output.trim();
  };
}
