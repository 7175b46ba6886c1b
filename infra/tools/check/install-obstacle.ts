import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../../local/stack/synthesis.ts";

/** Why what the tests of a folder need could not be installed; undefined where it is. */
export function installObstacle(what: string, folder: string): string | undefined {
  const call = [join(root, folder, "install.ts")];
  const { status, stderr } = spawnSync(process.execPath, call, { encoding: "utf8" });
  return status === 0 ? undefined : `${what} could not be installed: ${stderr.trim().split("\n").at(-1)}`;
}
