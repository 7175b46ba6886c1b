const terminalPauseMs = 100;
/** Where there is no terminal each moment is a line that stays. */
const plainPauseMs = 5_000;

/** What an export is doing: reading the table's items, or writing what it read of them. */
type Step = "read" | "written";

/** Shows how far an export is: one line on a terminal, elsewhere a line every 5 seconds. */
export function createExportProgress(screen: NodeJS.WriteStream) {
  const pause = screen.isTTY ? terminalPauseMs : plainPauseMs;
  let [step, began, shownAt]: [Step | undefined, number, number] = [undefined, 0, performance.now()];
  let first = 0;
  return {
    /** `total` is undefined, or about right, where nobody knows how many there are. */
    show(now: Step, done: number, total: number | undefined): void {
      const moment = performance.now();
      if (now !== step) [step, began, first] = [now, moment, done];
      if (moment - shownAt < pause) return;
      shownAt = moment;
      const rate = Math.round((done - first) / Math.max((moment - began) / 1000, 0.001));
      const share = total ? `${Math.min(100, Math.floor((done / total) * 100))}% ` : "";
      const text = `${share}${done} ${now === "read" ? "items read" : "records written"}, ${rate} a second`;
      screen.write(screen.isTTY ? `\r\x1b[2K${text}` : `${text}\n`);
    },
    clear(): void {
      if (screen.isTTY) screen.write("\r\x1b[2K");
    },
  };
}
