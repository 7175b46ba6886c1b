import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../local/stack/synthesis.ts";

const run = promisify(execFile);
/** What is being installed: one thing at a time, as several gates share a folder. Other gates run meanwhile. */
let installing: Promise<unknown> = Promise.resolve();

/** Why what the tests of a folder need could not be installed; undefined where it is. */
export function installObstacle(what: string, folder: string): Promise<string | undefined> {
  const obstacle = installing.then(() =>
    run(process.execPath, [join(root, folder, "install.ts")]).then(
      () => undefined,
      ({ stderr }: { stderr: string }) => `${what} could not be installed: ${stderr.trim().split("\n").at(-1)}`,
    ),
  );
  installing = obstacle;
  return obstacle;
}
