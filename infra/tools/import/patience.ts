import { jitter, sleep } from "../../../shared/backoff.ts";
import { isThrottled } from "../../../shared/db/table/transient-errors.ts";
import { Refusal } from "../../../shared/domain/refusal.ts";

const patienceMs = 60_000;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** Repeats what the table takes no more of at the moment, with jitter, for up to a minute: an import has time, users have not. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isPutOff(error) || performance.now() - startedAt > patienceMs) throw error;
      await sleep(jitter(attempt, firstPauseMs, longestPauseMs));
    }
  }
}

/** True for what the table refuses at the moment alone: it, or a part of it, has too much to do. */
export function isPutOff(error: unknown): boolean {
  return isThrottled(error) || (error instanceof Refusal && error.code === "busy");
}
