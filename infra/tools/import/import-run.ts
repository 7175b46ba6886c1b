import { keepImport } from "../../../shared/db/history/import-runs.ts";
import type { Commit } from "../../../shared/db/writes/changes.ts";

/** Most letters of a file's name that the history keeps. */
const mostLetters = 200;

/** The run of an import in the history, which begins with its first write: one that changes nothing is not kept. */
export interface ImportRun {
  /** Makes writes as it was given to, once the run is kept. */
  readonly commit: Commit;
  /** Keeps what became of the lines. One that is killed before leaves only that it began. */
  end(counts: Readonly<Record<string, number>>): Promise<void>;
}

/** Opens the run of the import under way. */
export function openImportRun(file: string, now: Date, commit: Commit): ImportRun {
  const about = { file: file.slice(0, mostLetters) };
  let beginning: Promise<void> | undefined;
  const begin = () =>
    keepImport(now, about).catch((error) => {
      // The next write tries again: the table may take no more at the moment alone.
      beginning = undefined;
      throw error;
    });
  return {
    commit: async (writes) => {
      beginning ??= begin();
      await beginning;
      return commit(writes);
    },
    end: async (counts) => {
      if (beginning) await keepImport(now, { ...about, ...counts, ended_at: new Date().toISOString() });
    },
  };
}
