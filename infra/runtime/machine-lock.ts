import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Locks a data directory for this process. Returns a function that releases it, or undefined if another process has it.
 * The operating system releases the lock of a dead process, so no stale lock remains.
 */
export function takeLock(directory: string): (() => void) | undefined {
  mkdirSync(directory, { recursive: true });
  const database = new DatabaseSync(join(directory, "lock.sqlite"));
  try {
    database.exec("BEGIN EXCLUSIVE");
    return () => database.close();
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error;
  }
}

const sqliteBusy = 5;
