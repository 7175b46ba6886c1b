import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { root } from "../../infra/local/stack/synthesis.ts";
import { runCommand } from "../../infra/tools/cli/command.ts";
import { installGateTools } from "./install.ts";

/** Runs a program of the gates' own packages: `node test/gates/run.ts knip`. */
await runCommand(([program = "", ...parameters]) => {
  // The checkout's own Node comes first.
  const PATH = [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const { status, error } = spawnSync(join(installGateTools(), ".bin", program), parameters, {
    cwd: root,
    env: { ...process.env, PATH },
    stdio: "inherit",
    // There, commands of packages are batch files.
    shell: process.platform === "win32",
  });
  if (error) throw error;
  return status ?? 1;
});
