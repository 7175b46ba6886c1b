import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { takeLock } from "../../infra/local/machine-lock.ts";
import { digestSources } from "../support/service/sources-digest.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder with what came of the synthesis of every stage, once it is there. */
    syntheses: string;
  }
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = "test/infra/synthesize-stages.ts";
const kept = join(root, ".local/test-made/stages");
const digestFile = join(kept, "sources.sha256");

/**
 * Synthesises every stage once for the run, in a program beside the tests that need none; the others await it. This process
 * does not load the CDK, which takes seconds. Reuses the last run's syntheses if the sources are the same.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "workforce-stages-"));
  project.provide("syntheses", directory);
  const end = (failure: string) => writeFileSync(join(directory, "ended"), failure);
  const remove = () => rm(directory, { recursive: true });
  const digest = digestSources(program, "test/infra/stages/owned-stage.ts");
  if (whileKept(() => takeKept(directory, digest))) {
    end("");
    return remove;
  }
  const synthesizing = promisify(execFile)(process.execPath, [program, directory], { cwd: root });
  const ended = synthesizing.then(
    () => {
      whileKept(() => keep(directory, digest));
      end("");
    },
    ({ message }: Error) => end(message),
  );
  return async () => {
    synthesizing.child.kill();
    await ended;
    await remove();
  };
}

/** Works in the kept folder; gives undefined, and does nothing, while another run has it. */
function whileKept<T>(work: () => T): T | undefined {
  const release = takeLock(kept);
  if (!release) return undefined;
  try {
    return work();
  } finally {
    release();
  }
}

function takeKept(directory: string, digest: string): boolean {
  if (!existsSync(digestFile) || readFileSync(digestFile, "utf8") !== digest) return false;
  copySyntheses(kept, directory);
  return true;
}

function keep(directory: string, digest: string): void {
  rmSync(digestFile, { force: true });
  mkdirSync(kept, { recursive: true });
  copySyntheses(directory, kept);
  writeFileSync(digestFile, digest);
}

function copySyntheses(from: string, to: string): void {
  const files = readdirSync(from).filter((name) => name.endsWith(".json"));
  for (const name of files) copyFileSync(join(from, name), join(to, name));
}
