import {
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { jitter, sleep } from "../../backoff.ts";
import { Refusal } from "../../domain/refusal.ts";

/** How long what the table puts off is retried before the caller is asked to come back (D18). */
const patienceMs = 1_000;
const firstPauseMs = 25;
const longestPauseMs = 200;
const retryAfterSeconds = 1;

/** Repeats a write with jitter while others' transactions hold its items, for up to a second; then refuses as `busy`. */
export async function retryConflicts<T>(write: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isConflict(error)) throw error;
      await pauseBriefly(attempt, startedAt);
    }
  }
}

/** Waits with jitter, the longer the more attempts there were; refuses as `busy` what would take longer than a second. */
export async function pauseBriefly(attempt: number, startedAt: number): Promise<void> {
  const pause = jitter(attempt, firstPauseMs, longestPauseMs);
  if (performance.now() - startedAt + pause > patienceMs) throw busy();
  await sleep(pause);
}

/** How often a lost race is run, and the pauses between, each up to twice as long as the one before. */
export interface RacePace {
  readonly races: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** Many guess, sign in or ask from behind one address at once, and all of them count. */
export const crowdPace: RacePace = { races: 60, firstPauseMs: 1, longestPauseMs: 50 };

const usualPace: RacePace = { races: 40, firstPauseMs: 1, longestPauseMs: 50 };

/** Runs a race until it gives something, which it does unless others came between; refuses as `busy` after many. */
export async function retryRaces<T>(race: (count: number) => Promise<T | undefined>, pace = usualPace): Promise<T> {
  for (let count = 0; count < pace.races; count += 1) {
    const outcome = await race(count);
    if (outcome !== undefined) return outcome;
    await sleep(jitter(count, pace.firstPauseMs, pace.longestPauseMs));
  }
  throw busy();
}

/**
 * Runs a race first on what may be a moment old. Writes hold what it decides to what was read; what it refuses writes nothing,
 * so that it is decided again on consistent reads. A `busy` race may have written, and is not run again: the next one would meet
 * its writes as another's.
 */
export async function retryStaleReads<T>(
  race: (consistent: boolean) => Promise<T | undefined>,
  pace?: RacePace,
): Promise<T> {
  return retryRaces(async (count) => {
    try {
      return await race(count > 0);
    } catch (error) {
      if (count > 0 || !(error instanceof Refusal) || error.code === "busy") throw error;
      return undefined;
    }
  }, pace);
}

/** The refusal of a write that kept losing against others. */
export function busy(): Refusal {
  return new Refusal("busy", "The records are being changed by others", { retryAfterSeconds });
}

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException || error instanceof TransactionInProgressException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code);
  return codes.some((code) => code !== undefined && transientCodes.has(code));
}

const transientCodes = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);
