/** The shortest pauses between two shows. Without a terminal each show is a line that stays. */
const pauseMs = { terminal: 100, other: 5_000 };

/** Shows the progress of a command: one line that is written over on a terminal, a line every 5 seconds elsewhere. */
export function createProgressLine(screen: NodeJS.WriteStream) {
  let shownAt = performance.now();
  let isShown = false;
  return {
    show(text: () => string): void {
      const now = performance.now();
      if (now - shownAt < (screen.isTTY ? pauseMs.terminal : pauseMs.other)) return;
      shownAt = now;
      isShown = screen.isTTY;
      screen.write(screen.isTTY ? `\r\x1b[2K${text()}` : `${text()}\n`);
    },
    /** Takes the line off a terminal, so that something else can be written. */
    clear(): void {
      if (isShown) screen.write("\r\x1b[2K");
      isShown = false;
    },
  };
}
