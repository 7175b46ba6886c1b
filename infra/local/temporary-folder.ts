import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeLock } from "./machine-lock.ts";

/** A folder of one process: a later process removes it if this one is killed before it does so. */
export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

const memory = "/dev/shm";
const leastBytes = 4 * 2 ** 30;
/** A folder that was just made may not be locked yet. */
const graceMilliseconds = 10_000;
/** A lock that nobody can reach any more would be released. */
const held = new Set<() => void>();

/** Makes a folder for data that is not kept, and removes those that killed processes have left in the same place. */
export function makeTemporaryFolder(purpose: string, root = memoryOrDisk()): TemporaryFolder {
  removeAbandoned(root);
  const path = mkdtempSync(join(root, `workforce-${purpose}-`));
  const release = takeLock(ownerOf(path)) ?? (() => {});
  held.add(release);
  const remove = () => {
    rmSync(path, { recursive: true, force: true });
    release();
    held.delete(release);
  };
  return { path, remove };
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

function removeAbandoned(root: string): void {
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    if (!name.startsWith("workforce-") || !isOldAndOwned(path)) continue;
    const release = takeLock(ownerOf(path));
    // Others may remove it at the same time.
    if (release) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    release?.();
  }
}

function isOldAndOwned(path: string): boolean {
  const made = statSync(path, { throwIfNoEntry: false });
  if (made?.uid !== process.getuid?.() || !existsSync(ownerOf(path))) return false;
  return made !== undefined && Date.now() - made.birthtimeMs > graceMilliseconds;
}

/** The folder of the lock that the process holds as long as it lives. */
function ownerOf(path: string): string {
  return join(path, "owner");
}
