import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { inject } from "vitest";

/**
 * Gives the path of a folder or file that `make` makes once for a run, in whichever worker asks for it first. The others wait
 * until it is whole. Rejects in all of them if it cannot be made.
 */
export async function onceForRun(name: string, make: (path: string) => Promise<unknown>): Promise<string> {
  const path = join(inject("run"), name);
  if (isFirst(`${path}.begun`)) {
    try {
      await make(`${path}.draft`);
      renameSync(`${path}.draft`, path);
    } catch (error) {
      writeFileSync(`${path}.failed`, String(error));
    }
  }
  while (!existsSync(path)) {
    if (existsSync(`${path}.failed`)) throw new Error(readFileSync(`${path}.failed`, "utf8"));
    await pause(20);
  }
  return path;
}

/** True for one of all workers. */
function isFirst(mark: string): boolean {
  try {
    mkdirSync(mark);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}
