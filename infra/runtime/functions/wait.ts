import { setTimeout as pause } from "node:timers/promises";

/** Waits that many milliseconds, or until the signal. */
export function wait(milliseconds: number, stopping: AbortSignal): Promise<void> {
  return pause(milliseconds, undefined, { signal: stopping }).catch(() => {});
}

/** Work that fails at once must not keep a processor busy. */
const retryMilliseconds = 500;

/** Repeats work, also after it has failed, until it is stopped, which waits for the work in hand. */
export function repeat(
  work: (stopping: AbortSignal) => Promise<void>,
  onFailure?: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      try {
        await work(signal);
      } catch (error) {
        onFailure?.(error);
        await wait(retryMilliseconds, signal);
      }
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
