import { appendFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Emulator } from "./emulator.ts";
import { type ProgramResult, root, runProgram } from "./program.ts";

const longestMs = 240_000;
const keptCharacters = 3_000;

type CdkResult = Pick<ProgramResult, "code"> & { readonly printed: string };

interface CdkChanges {
  readonly environment?: Readonly<Record<string, string>>;
  readonly checkout?: string;
}

/** Runs the project's cdk command as a person does, against the emulator and with a home folder of its own. */
export type Cdk = (parameters: readonly string[], changes?: CdkChanges) => Promise<CdkResult>;

/** A cdk command whose files are in a folder, all that it prints among them. */
export function createCdk({ clientEnvironment }: Emulator, directory: string): Cdk {
  const environment = {
    PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}`,
    HOME: directory,
    NO_COLOR: "1",
    CDK_DISABLE_VERSION_CHECK: "true",
    // To validate a template takes longer than to make it: the first deploy does, the others are of the same constructs.
    CDK_VALIDATION: "false",
    npm_config_update_notifier: "false",
    AWS_EC2_METADATA_DISABLED: "true",
    ...clientEnvironment,
  };
  return async (parameters, changes = {}) => {
    const command = join(root, "node_modules/.bin/cdk");
    const { code, output } = await runProgram(
      command,
      [...parameters, "--no-notices"],
      { ...environment, ...changes.environment },
      longestMs,
      changes.checkout,
    );
    appendFileSync(join(directory, "cdk.log"), `cdk ${parameters.join(" ")}\n${output}\n`);
    return { code, printed: output.slice(-keptCharacters) };
  };
}
