import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { takeLock } from "../../../infra/local/machine-lock.ts";
import { copySynthesis, root, synthesizeOnce } from "../../../infra/local/stack/synthesis.ts";
import type { Template } from "../../../infra/whole-template.ts";
import { onceForRun } from "./once-for-run.ts";
import { digestSources } from "./sources-digest.ts";

/** The folder of a machine with the synthesised stack and no data. */
export function synthesizedMachine(): Promise<string> {
  return onceForRun("machine", async (folder) => {
    mkdirSync(folder);
    await keep("synthesis", async (kept) => {
      await synthesizeOnce(kept);
      copySynthesis(kept, folder);
    });
  });
}

/** The template of the synthesised stack. */
export async function synthesizedTemplate(): Promise<Template> {
  const file = await onceForRun("template.json", (path) =>
    keep("synthesis", async (kept) => {
      const { template } = await synthesizeOnce(kept);
      writeFileSync(path, JSON.stringify(template));
    }),
  );
  return JSON.parse(readFileSync(file, "utf8"));
}

/** The folder with the bundle of each function as it is deployed. */
export function builtBundles(): Promise<string> {
  return madeByProgram("bundles", "test/support/service/bundle-program.ts");
}

/** The folder with the synthesis of every stage, as its owner would have it: one file each. */
export function synthesizedStages(): Promise<string> {
  return madeByProgram("stages", "test/infra/synthesize-stages.ts", "test/infra/stages/owned-stage.ts");
}

/** The folder that a program fills; the last run's, if the sources and the program's own files are the same. */
function madeByProgram(name: string, ...own: readonly [program: string, ...string[]]): Promise<string> {
  return onceForRun(name, (folder) =>
    keep(name, async (kept) => {
      const built = join(kept, "built");
      const file = join(kept, "sources.sha256");
      const digest = digestSources(...own);
      if (!existsSync(file) || readFileSync(file, "utf8") !== digest) {
        for (const former of [file, built]) rmSync(former, { recursive: true, force: true });
        await promisify(execFile)(process.execPath, [join(root, own[0]), built], { cwd: root });
        writeFileSync(file, digest);
      }
      cpSync(built, folder, { recursive: true });
    }),
  );
}

/** Gives `use` a folder of the checkout that is kept for later runs. Two runs take turns: the second finds what the first made. */
async function keep(name: string, use: (folder: string) => Promise<void>): Promise<void> {
  const folder = join(root, ".local/test-made", name);
  let release = takeLock(folder);
  while (!release) {
    await pause(50);
    release = takeLock(folder);
  }
  try {
    await use(folder);
  } finally {
    release();
  }
}
