import { join } from "node:path";
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
