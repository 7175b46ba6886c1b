import { keepImport } from "../../../shared/db/history/import-runs.ts";
import type { Commit } from "../../../shared/db/writes/commit.ts";
import type { Change } from "../../../shared/domain/records/change.ts";

/** Most letters of a file's name that the history keeps. */
const mostLetters = 200;

/** The run of an import in the history. It begins with the first write, so an import without changes leaves none. */
export function openImportRun(file: string, run: Change, commit: Commit) {
  const about = { file: file.slice(0, mostLetters) };
  let beginning: Promise<void> | undefined;
  const begin = () =>
    keepImport(run, about).catch((error) => {
      // The next write tries again, because the table may only be throttling.
      beginning = undefined;
      throw error;
    });
  return {
    /** Commits writes by the given function, once the run is stored. */
    commit: (async (writes, counts) => {
      beginning ??= begin();
      await beginning;
      return commit(writes, counts);
    }) satisfies Commit,
    /** Stores the counts of the lines. After a run that is killed earlier, the history has only its beginning. */
    end: async (counts: Readonly<Record<string, number>>) => {
      if (beginning) await keepImport(run, { ...about, ...counts, ended_at: new Date().toISOString() });
    },
  };
}
