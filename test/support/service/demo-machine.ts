import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import type { TemporaryFolder } from "../../../infra/support/temporary-folder.ts";
import { copyKept, digestSources } from "./kept.ts";
import { makeDirectory } from "./local-machine.ts";
import { makeMachineDirectory } from "./machine-directory.ts";

const loader = join(import.meta.dirname, "load-demo-machine.ts");

/**
 * Fills an empty folder that stands in for `.local` with a machine's, with the demo data loaded and counted, and the builds that
 * counted it: made once for a day, as that takes longer than most files that use it.
 */
export function copyDemo(directory: string): Promise<void> {
  const sources = digestSources("test/support/service/load-demo-machine.ts");
  const today = new Date().toISOString().slice(0, 10);
  // One engine does not read the files of another.
  return copyKept("demo", [sources, today, process.env.DYNAMODB_ENGINE].join(" "), load, directory);
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
