import { lstatSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "./is-alive.ts";

/** A folder of one process: a later process removes it if this one is killed before it does so. */
export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

const memory = "/dev/shm";
const leastBytes = 4 * 2 ** 30;

/** Makes a folder for data that is not kept, and removes those that killed processes have left in the same place. */
export function makeTemporaryFolder(purpose: string, root = memoryOrDisk()): TemporaryFolder {
  for (const name of readdirSync(root)) {
    const [, pid] = /^wf-[a-z]+-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid)) && isOwn(join(root, name))) removeFolder(join(root, name));
  }
  const path = mkdtempSync(join(root, `wf-${purpose}-${process.pid}-`));
  return { path, remove: () => removeFolder(path) };
}

/**
 * Memory, if the system has a folder of it with 4 GiB free, else the usual folder for temporary files. An engine waits for the
 * disk at every write, and more than one shares it.
 */
function memoryOrDisk(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= leastBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

function isOwn(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

function removeFolder(path: string): void {
  // Others may remove it at the same time.
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}
