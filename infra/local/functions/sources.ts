import { type FSWatcher, globSync, watch } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";

/** Keeps bundles in step with their sources. */
export interface Sources {
  /** Rebuilds if a source changed since the last build; rejects while the sources do not compile. */
  refresh(): Promise<void>;
  /** Rises with every build that succeeded. */
  generation(): number;
  close(): Promise<void>;
}

/** What builds the bundles: opened at the first change, as most runs see none. */
export interface Builder {
  rebuild(): Promise<unknown>;
  close(): Promise<void>;
}

/** Watches folders; what changes in them is built when the next invocation asks for it. */
export function watchSources(directories: string[], openBuilder: () => Promise<Builder>): Sources {
  let dirty = false;
  let generation = 0;
  let building: Promise<void> = Promise.resolve();
  let builder: Promise<Builder> | undefined;
  let watchers: FSWatcher[] = [];
  // Node's own recursive watching loses track of files that editors replace instead of writing to them (Linux).
  const watchFolders = () => {
    for (const watcher of watchers) watcher.close();
    watchers = directories.flatMap(foldersUnder).flatMap((folder) => watchFolder(folder, notice));
  };
  const notice = (event: string) => {
    dirty = true;
    if (event === "rename") watchFolders();
  };
  watchFolders();

  const build = async () => {
    builder ??= openBuilder();
    await (await builder).rebuild();
    generation += 1;
  };
  return {
    async refresh() {
      // The notice of a file saved just before this request may still wait in the event loop, for up to a whole turn.
      await turn();
      await turn();
      if (dirty) {
        dirty = false;
        building = building.catch(() => {}).then(build);
        building.catch(() => {});
      }
      await building;
    },
    generation: () => generation,
    async close() {
      for (const watcher of watchers) watcher.close();
      await (await builder)?.close();
    },
  };
}

function foldersUnder(directory: string): string[] {
  const entries = globSync("**/", { cwd: directory, withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

/** A folder that is gone by now, as while a branch is being switched, is not watched. */
function watchFolder(folder: string, notice: (event: string) => void): FSWatcher[] {
  try {
    return [watch(folder, { persistent: false }, notice)];
  } catch {
    return [];
  }
}
