import { settings } from "../settings.ts";
import { uptimeMs } from "../work.ts";

let milliseconds: number | undefined;

/**
 * Records that the environment is ready, and the time since its process began: code and priming together. Outside
 * Lambda a process has several environments, so nothing is recorded.
 */
export function noteStart(): void {
  if (settings.isStartedByLambda()) milliseconds = Math.round(uptimeMs());
}

/** The start time of the environment in milliseconds, for its first call only; undefined later. */
export function takeStartMilliseconds(): number | undefined {
  const startMilliseconds = milliseconds;
  milliseconds = undefined;
  return startMilliseconds;
}
