import { createLagWatch } from "./import-lag.ts";
import { createProgressBar } from "./import-progress.ts";
import type { ImportOptions, ImportProgress } from "./import-records.ts";

const lookMs = 1_000;
/** Fewer lines are counted by the time that somebody reads of them. */
const noticeableLines = 100;

/** What shows an import as it runs. */
export interface ImportWatch extends Required<Pick<ImportOptions, "onProgress" | "onWritten">> {
  /** Takes the bar off a terminal, so that something else can be written. */
  clear(): void;
  /** How far the import came by the last news of it. */
  last(): ImportProgress;
  /** Ends it; gives what is to be said of the workers, such as how far they are behind. */
  end(): Promise<string>;
}

/** Shows on the screen how far an import is and, where workers count meanwhile what it writes, how far these are. */
export function watchImport(screen: NodeJS.WriteStream, size: number | undefined, hasWorkers: boolean): ImportWatch {
  const bar = createProgressBar(screen, size);
  const lag = createLagWatch();
  let last: ImportProgress = { bytesRead: 0, done: 0, doneUpTo: 0, failed: 0 };
  let unknown = "";
  const look = async () => {
    try {
      await lag.look();
    } catch (error) {
      unknown = `How far the workers are is not known: ${error instanceof Error ? error.message : error}\n`;
    }
    bar.show(last, lag.behind());
  };
  const timer = hasWorkers ? setInterval(look, lookMs) : undefined;
  return {
    clear: bar.clear,
    last: () => last,
    onWritten: lag.written,
    onProgress(progress) {
      last = progress;
      bar.show(progress, lag.behind());
    },
    async end() {
      clearInterval(timer);
      bar.clear();
      if (!hasWorkers) return "";
      await look();
      bar.clear();
      const isNoticeable = lag.behind() >= noticeableLines;
      return (
        unknown || (isNoticeable ? `The workers are ${lag.behind()} lines behind: the lists' totals follow.\n` : "")
      );
    },
  };
}
