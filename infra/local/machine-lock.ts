import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The right of one process to use a data directory. */
export interface MachineLock {
  release(): void;
}

/**
 * Takes the directory for this process; undefined while another has it. The operating system gives it back when a
 * process dies, so there is no stale lock to clear.
 */
export function takeLock(directory: string): MachineLock | undefined {
  mkdirSync(directory, { recursive: true });
  const database = new DatabaseSync(join(directory, "lock.sqlite"), { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error;
  }
}

const sqliteBusy = 5;
