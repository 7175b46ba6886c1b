import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../local/stack/synthesis.ts";

const run = promisify(execFile);
/** The current installation: only one at a time, because several gates share a folder. Other gates keep running. */
let installing: Promise<unknown> = Promise.resolve();

/** The reason why the packages of a folder's tests could not be installed; undefined if they are. */
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
