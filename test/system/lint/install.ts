import { join } from "node:path";
import { runCommand } from "../../../infra/tools/cli/command.ts";
import { installPackages } from "../deploy/install.ts";
import { root } from "../deploy/program.ts";

const linter = {
  folder: "cfn-lint",
  title: "cfn-lint",
  requirements: join(root, "test/system/lint/requirements.txt"),
};

/** Installs cfn-lint into `.local/cfn-lint`; gives its program. */
export async function installLinter(): Promise<string> {
  return join(await installPackages(linter), "cfn-lint");
}

// The gate installs first, to distinguish a machine without access to Python's packages from a template that is wrong.
if (import.meta.main) await runCommand(async () => Number(!(await installLinter())));
