import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";
const leastBytes = 4 * 2 ** 30;

/**
 * The folder for data of an engine that is not kept: memory, where the system has a folder of it with 4 GiB free, else the usual
 * folder for temporary files. An engine waits for the disk at every write, and more than one shares it.
 */
export function temporaryRoot(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= leastBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}
