import { createProgressLine } from "../cli/progress-line.ts";
import type { ImportProgress } from "./import-records.ts";

/** Shows how far an import is: by bytes if the size is known, by lines in any case. */
export function showImport(screen: NodeJS.WriteStream, size: number | undefined) {
  const line = createProgressLine(screen);
  const began = performance.now();
  let last: ImportProgress = { bytesRead: 0, done: 0, doneUpTo: 0, failed: 0 };
  const text = (): string => {
    const { bytesRead, done, doneUpTo, failed } = last;
    const share = size ? `${Math.floor((bytesRead / size) * 100)}% ` : "";
    const rate = Math.round(done / ((performance.now() - began) / 1000));
    return `${share}line ${doneUpTo}, ${rate} a second${failed > 0 ? `, ${failed} failed` : ""}`;
  };
  return {
    clear: line.clear,
    /** The last progress that was shown, or would have been. */
    last: () => last,
    onProgress(progress: ImportProgress): void {
      last = progress;
      line.show(text);
    },
  };
}
