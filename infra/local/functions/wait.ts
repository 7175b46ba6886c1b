import { setTimeout as pause } from "node:timers/promises";

/** Waits that many milliseconds, or until the signal. */
export function wait(milliseconds: number, stopping: AbortSignal): Promise<void> {
  return pause(milliseconds, undefined, { signal: stopping }).catch(() => {});
}
