import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import type { TemporaryFolder } from "../../../infra/local/temporary-folder.ts";
import { makeDirectory } from "./local-machine.ts";
import { makeMachineDirectory } from "./machine-directory.ts";
import { onceForRun } from "./once-for-run.ts";

const loader = join(import.meta.dirname, "load-demo-machine.ts");

/**
 * Fills an empty folder that stands in for `.local` with a machine's, with the demo data loaded and counted, and the builds that
 * counted it: made once for a run, as that takes longer than most files that use it.
 */
export async function copyDemo(directory: string): Promise<void> {
  cpSync(await onceForRun("demo", load), directory, { recursive: true });
}

/** Makes a folder that stands in for `.local` of a machine that has been started before; for one whose first start is no matter. */
export async function makeDemoDirectory(): Promise<TemporaryFolder> {
  const directory = makeDirectory();
  // Journeys that run by themselves have none to copy.
  if (inject("run")) await copyDemo(directory.path);
  return directory;
}

async function load(loaded: string): Promise<void> {
  const { path, remove } = await makeMachineDirectory();
  await promisify(execFile)(process.execPath, [loader, path]);
  cpSync(path, loaded, { recursive: true });
  remove();
}
