import type { ImportProgress } from "./import-records.ts";

const width = 30;
const pauseMs = 100;

/** A line on the terminal: a bar by bytes, or a count where the size is unknown; silent where there is no terminal. */
export function createProgressBar(screen: NodeJS.WriteStream, size: number | undefined) {
  const began = performance.now();
  let shownAt = began;
  let isShown = false;
  return {
    show({ bytesRead, lines, failed }: ImportProgress): void {
      const now = performance.now();
      if (!screen.isTTY || now - shownAt < pauseMs) return;
      const rate = Math.round(lines / ((now - began) / 1000));
      const counts = `${lines} lines, ${rate} a second${failed > 0 ? `, ${failed} failed` : ""}`;
      screen.write(`\r\x1b[2K${size ? `${barOf(bytesRead / size)} ` : ""}${counts}`);
      shownAt = now;
      isShown = true;
    },
    clear(): void {
      if (isShown) screen.write("\r\x1b[2K");
      isShown = false;
    },
  };
}

function barOf(share: number): string {
  const filled = Math.round(Math.min(share, 1) * width);
  return `[${"#".repeat(filled)}${".".repeat(width - filled)}] ${String(Math.floor(share * 100)).padStart(3)}%`;
}
