/** The pauses between two lines. Without a terminal each line stays. */
const pauseMs = { terminal: 1_000, other: 5_000 };

/** The progress of a command: one line that is written over on a terminal, a line every 5 seconds elsewhere. */
export interface ProgressLine {
  /** Sets the text to show from now on. It is read each time that it is shown. */
  show(text: () => string): void;
  /** Adds how long and why the table keeps the command waiting; undefined once it goes on. */
  waits(reason: string | undefined): void;
  /** Takes the line off a terminal, so that something else can be written. */
  clear(): void;
  end(): void;
}

/** The progress of reading a table: `items` of some `total`, if that is known, in `ms` milliseconds. */
export function describeReading(items: number, total: number | undefined, ms: number): string {
  const [share, of] = total ? [`${Math.min(100, Math.floor((items / total) * 100))}% `, ` of some ${total}`] : ["", ""];
  return `${share}${items}${of} items read, ${Math.round((items * 1_000) / ms)} a second`;
}

/** Begins to show progress: on a terminal every second, so that one sees that a command which waits is alive. */
export function createProgressLine(screen: NodeJS.WriteStream): ProgressLine {
  let text: (() => string) | undefined;
  let wait: { readonly since: number; readonly reason: string } | undefined;
  let isShown = false;
  const write = () => {
    if (!text && !wait) return;
    const seconds = wait && Math.round((performance.now() - wait.since) / 1_000);
    const waiting = wait && `the table has kept this waiting for ${seconds} s (${wait.reason})`;
    const line = [text?.(), waiting].filter((part) => part !== undefined).join("; ");
    isShown = screen.isTTY;
    screen.write(screen.isTTY ? `\r\x1b[2K${line}` : `${line}\n`);
  };
  const timer = setInterval(write, screen.isTTY ? pauseMs.terminal : pauseMs.other).unref();
  const clear = () => {
    if (isShown) screen.write("\r\x1b[2K");
    isShown = false;
  };
  return {
    show(next) {
      text = next;
    },
    waits(reason) {
      wait = reason === undefined ? undefined : { since: wait?.since ?? performance.now(), reason };
    },
    clear,
    end() {
      clearInterval(timer);
      clear();
    },
  };
}
