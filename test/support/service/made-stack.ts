import { mkdirSync } from "node:fs";
import { serviceApp } from "../../../infra/local/service-app.ts";
import { synthesizeOnce } from "../../../infra/runtime/stack/synthesis.ts";
import type { Template } from "../../../infra/support/stack-template.ts";
import { copySynthesis } from "./copy-synthesis.ts";
import { copyBundles, copyStages, keep } from "./kept.ts";
import { onceForRun } from "./once-for-run.ts";

/** The folder of a machine with the synthesised stack and no data. */
export function synthesizedMachine(): Promise<string> {
  return onceForRun("machine", async (folder) => {
    mkdirSync(folder);
    await keep("synthesis", async (kept) => {
      await synthesizeOnce(serviceApp, kept);
      copySynthesis(kept, folder);
    });
  });
}

/** The template of the synthesised stack. */
export function synthesizedTemplate(): Promise<Template> {
  return keep("synthesis", async (kept) => (await synthesizeOnce(serviceApp, kept)).template);
}

/** The folder with the bundle of each function as it is deployed. */
export function builtBundles(): Promise<string> {
  return onceForRun("bundles", copyBundles);
}

/** The folder with the synthesis of every stage, as its owner would have it: one file each. */
export function synthesizedStages(): Promise<string> {
  return onceForRun("stages", copyStages);
}
