import { join } from "node:path";
import { runCommand } from "../../../infra/tools/cli/command.ts";
import { root } from "./program.ts";
import { installPackages } from "./python-environment.ts";

const emulator = {
  folder: "emulator",
  title: "The AWS emulator",
  requirements: join(root, "test/system/deploy/requirements.txt"),
};

/** Installs the emulator into `.local/emulator`; gives the Python that runs it. */
export async function installEmulator(): Promise<string> {
  return join(await installPackages(emulator), "python");
}

const cli = {
  folder: "aws-cli",
  title: "The AWS CLI",
  requirements: join(root, "test/system/programs/requirements.txt"),
};

/** Installs the AWS CLI into `.local/aws-cli`; gives the folder of its programs. */
export const installCli = (): Promise<string> => installPackages(cli);

// The gate installs first, to distinguish a machine without access to packages from a deploy that fails.
if (import.meta.main) {
  await runCommand(async () => {
    await installEmulator();
    await installCli();
    return 0;
  });
}
