import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder with what came of the synthesis of every stage, once it is there. */
    syntheses: string;
  }
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = join(import.meta.dirname, "synthesize-stages.ts");

/**
 * Synthesises every stage once for the run, in a program beside the tests that need none; the others await it. This process
 * does not load the CDK, which takes seconds.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "workforce-stages-"));
  project.provide("syntheses", directory);
  const synthesizing = promisify(execFile)(process.execPath, [program, directory], { cwd: root });
  const ended = synthesizing.then(
    () => writeFileSync(join(directory, "ended"), ""),
    ({ message }: Error) => writeFileSync(join(directory, "ended"), message),
  );
  return async () => {
    synthesizing.child.kill();
    await ended;
    await rm(directory, { recursive: true });
  };
}
