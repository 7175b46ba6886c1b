import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";
const leastBytes = 4 * 2 ** 30;

/**
 * The folder for engine data that is not kept: `/dev/shm` if it has 4 GiB free, else the usual folder for temporary
 * files. An engine waits for the disk at every write, and several engines would share it.
 */
export function temporaryRoot(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= leastBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}
