import { jitter, sleep } from "../../../shared/backoff.ts";
import { isPutOff } from "../../../shared/db/table/transient-errors.ts";

const patienceMs = 60_000;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** Retries work that the table throttles, with jitter, for up to a minute. An import can wait; users cannot. */
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
