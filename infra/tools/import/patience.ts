import { jitter, sleep } from "../../../shared/backoff.ts";
import { isPutOff } from "../../../shared/db/table/transient-errors.ts";

/** An import can wait for a throttled table; users cannot. */
const patienceMs = 60_000;
/** The first pause, with jitter; each further one is up to twice as long. */
const firstPauseMs = 100;
/** Short beside the patience, so that a dozen tries fit in. */
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
