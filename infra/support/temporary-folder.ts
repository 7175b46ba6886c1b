import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statfsSync } from "node:fs";
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
  const processes = ownNamespace();
  for (const name of readdirSync(root)) {
    const [, host, pid] = /^wf-[a-z]+-(\w*)-(\d+)-/.exec(name) ?? [];
    if (host === processes && !isAlive(Number(pid)) && isOwn(join(root, name))) removeFolder(join(root, name));
  }
  const path = mkdtempSync(join(root, `wf-${purpose}-${processes}-${process.pid}-`));
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

/**
 * The end of the number of this process's namespace, short for the first screen. A container that shares the folder counts its own
 * processes. Linux alone has namespaces.
 */
function ownNamespace(): string {
  if (process.platform !== "linux") return "";
  const [, end = ""] = /(\d{3})\]$/.exec(readlinkSync("/proc/self/ns/pid")) ?? [];
  return end;
}

function isOwn(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

function removeFolder(path: string): void {
  // Others may remove it at the same time.
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}
