import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Takes a data directory for this process; gives what releases it, or undefined while another process has it. The operating
 * system releases it when a process dies, so there is no stale lock to clear. A lock may be released twice.
 */
export function takeLock(directory: string): (() => void) | undefined {
  mkdirSync(directory, { recursive: true });
  const database = new DatabaseSync(join(directory, "lock.sqlite"), { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return () => {
      if (database.isOpen) database.close();
    };
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error;
  }
}

const sqliteBusy = 5;
