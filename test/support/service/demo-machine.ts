import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject, vi } from "vitest";
import { makeMachineDirectory } from "./machine-directory.ts";

const loader = join(import.meta.dirname, "load-demo-machine.ts");

/**
 * Fills an empty folder that stands in for `.local` with a machine's, with the demo data loaded and counted, and the builds that
 * counted it: made once for a run, as that takes longer than most files that use it.
 */
export async function copyDemo(directory: string): Promise<void> {
  const loaded = join(inject("synthesized"), "demo");
  if (isFirst(`${loaded}-begun`)) await load(loaded);
  await vi.waitUntil(() => existsSync(loaded), { timeout: 60_000 });
  cpSync(loaded, directory, { recursive: true });
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

async function load(loaded: string): Promise<void> {
  const { path } = makeMachineDirectory();
  await promisify(execFile)(process.execPath, [loader, path]);
  // The one may be in memory and the other on a disk; whoever waits must find it whole.
  cpSync(path, `${loaded}-copied`, { recursive: true });
  renameSync(`${loaded}-copied`, loaded);
  rmSync(path, { recursive: true });
}
