import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { root } from "../../infra/support/root.ts";
import { runCommand } from "../../infra/tools/cli/command.ts";
import { keep } from "../support/service/kept.ts";
import { installGateTools } from "./install.ts";

/** Runs a program of the gates' own packages: `node test/gates/run.ts knip`. */
await runCommand(async ([program = "", ...parameters]) => {
  // The checkout's own Node comes first.
  const PATH = [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter);
  // Gates that run side by side share the folder.
  const packages = await keep("installation", async () => installGateTools());
  const { status, error } = spawnSync(join(packages, ".bin", program), parameters, {
    cwd: root,
    env: { ...process.env, PATH },
    stdio: "inherit",
    // There, commands of packages are batch files.
    shell: process.platform === "win32",
  });
  if (error) throw error;
  return status ?? 1;
});
