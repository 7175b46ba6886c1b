import { inject } from "vitest";
import type { TemporaryFolder } from "../../../infra/support/temporary-folder.ts";
import { makeDirectory } from "./local-machine.ts";
import { copySynthesis, synthesizedMachine } from "./made-stack.ts";

/** A folder that stands in for `.local`, with the stack of this run in it: to synthesise it takes seconds for each. */
export async function makeMachineDirectory(): Promise<TemporaryFolder> {
  const directory = makeDirectory();
  // Journeys that run by themselves have no stack but their machine's own.
  if (inject("run")) copySynthesis(await synthesizedMachine(), directory.path);
  return directory;
}
