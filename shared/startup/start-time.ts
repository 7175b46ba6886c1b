import { settings } from "../settings.ts";

let milliseconds: number | undefined;

/** Notes that the environment is ready: how long its process took, code and priming together. Elsewhere a process has more than one. */
export function noteStart(): void {
  if (settings.isStartedByLambda()) milliseconds = Math.round(performance.now());
}

/** How long the environment took to start, in milliseconds; for its first call alone, undefined later. */
export function takeStartMilliseconds(): number | undefined {
  const taken = milliseconds;
  milliseconds = undefined;
  return taken;
}
