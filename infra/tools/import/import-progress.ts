import type { ImportProgress } from "./import-records.ts";

const width = 30;
const terminalPauseMs = 100;
/** Longer than for a terminal, because each line stays. */
const plainPauseMs = 5_000;

/**
 * Shows how far an import is, and how many lines its consumers are behind. A terminal has one line with a bar by bytes, or a
 * count where the size is unknown; what is no terminal gets a line every 5 seconds.
 */
export function createProgressBar(screen: NodeJS.WriteStream, size: number | undefined) {
  const began = performance.now();
  const pause = screen.isTTY ? terminalPauseMs : plainPauseMs;
  let shownAt = began;
  let isShown = false;
  return {
    show({ bytesRead, done, doneUpTo, failed }: ImportProgress, behind: number): void {
      const now = performance.now();
      if (now - shownAt < pause) return;
      const rate = Math.round(done / ((now - began) / 1000));
      const faults = failed > 0 ? `, ${failed} failed` : "";
      const lag = behind > 0 ? `; workers ${behind} lines behind` : "";
      const counts = `line ${doneUpTo}, ${rate} a second${faults}${lag}`;
      const share = size ? bytesRead / size : undefined;
      if (screen.isTTY) screen.write(`\r\x1b[2K${share === undefined ? "" : `${barOf(share)} `}${counts}`);
      else screen.write(`${share === undefined ? "" : `${percentOf(share)} `}${counts}\n`);
      shownAt = now;
      isShown = screen.isTTY;
    },
    clear(): void {
      if (isShown) screen.write("\r\x1b[2K");
      isShown = false;
    },
  };
}

function barOf(share: number): string {
  const filled = Math.round(Math.min(share, 1) * width);
  return `[${"#".repeat(filled)}${".".repeat(width - filled)}] ${percentOf(share).padStart(4)}`;
}

function percentOf(share: number): string {
  return `${Math.floor(share * 100)}%`;
}
