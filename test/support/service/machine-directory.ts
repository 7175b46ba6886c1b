import { inject } from "vitest";
import { copySynthesis } from "../../../infra/local/stack/synthesis.ts";
import { makeDirectory } from "./local-machine.ts";

/** A folder that stands in for `.local`, with the stack of this run in it: to synthesise it takes seconds for each. */
export function makeMachineDirectory(): { path: string; remove(): void } {
  const directory = makeDirectory();
  const synthesized = inject("synthesized");
  // Journeys that run by themselves have no stack but their machine's own.
  if (synthesized) copySynthesis(synthesized, directory.path);
  return directory;
}
