import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { busy } from "../contract/refusals.ts";
import { jitter, sleep } from "../run/backoff.ts";
import { isThrottleCode } from "../run/call-limits.ts";

/** The tries of a call, and the pauses between, with jitter. Each pause is up to twice as long as the one before. */
export interface Pace {
  /** Unlimited if left out. */
  readonly tries?: number;
  /** No pause ends later than this after the start. */
  readonly withinMs?: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** The pace of every retry in the table. */
export const paces = {
  /** The table postpones a call: others' transactions hold its items, or it is overloaded (D18). */
  conflict: { withinMs: 1_000, firstPauseMs: 25, longestPauseMs: 200 },
  /** As above for a change of several records, and if others changed one: a user waits for it, and many come at once. */
  bulk: { withinMs: 3_000, firstPauseMs: 25, longestPauseMs: 200 },
  /** A worker reads the counters of all companies. */
  snapshot: { withinMs: 8_000, firstPauseMs: 100, longestPauseMs: 1_000 },
  /** Others write the same record. */
  record: { tries: 40, firstPauseMs: 1, longestPauseMs: 50 },
  /** A user's devices seldom register at once, and each try reads all devices. */
  devices: { tries: 5, firstPauseMs: 1, longestPauseMs: 50 },
  /** Many callers ask for a pin of one login at once, and all of them are counted. */
  crowd: { tries: 60, firstPauseMs: 1, longestPauseMs: 50 },
  /** Others write the counter between the reads of a recount and its repair. */
  recount: { tries: 5, firstPauseMs: 1, longestPauseMs: 50 },
  /** A tool waits for a table that is overloaded or does not answer; an import of days depends on it. */
  tool: { withinMs: 300_000, firstPauseMs: 100, longestPauseMs: 5_000 },
} as const satisfies Readonly<Record<string, Pace>>;

/**
 * Retries until an attempt returns an outcome; undefined means that other writers came first. An attempt gets its number,
 * from 0, and the milliseconds that are left of the pace. If the pace ends without an outcome, `giveUp` decides; by
 * default it refuses with `busy`. An error of an attempt is final.
 */
export async function retry<T>(
  pace: Pace,
  attempt: (count: number, leftMs: number) => Promise<T | undefined>,
  giveUp: () => T = refuseAsBusy,
): Promise<T> {
  const { tries = Number.POSITIVE_INFINITY, withinMs = Number.POSITIVE_INFINITY } = pace;
  const startedAt = performance.now();
  for (let count = 0; count < tries; count += 1) {
    const leftMs = withinMs - (performance.now() - startedAt);
    const outcome = await attempt(count, leftMs);
    if (outcome !== undefined) return outcome;
    const pause = jitter(count, pace.firstPauseMs, pace.longestPauseMs);
    if (performance.now() - startedAt + pause > withinMs) break;
    await sleep(pause);
  }
  return giveUp();
}

/** As `retry`, but an attempt that meets others' transactions is made again, too: it has written nothing. */
export function retryConflicts<T>(
  attempt: (count: number, leftMs: number) => Promise<T | undefined>,
  pace: Pace = paces.conflict,
): Promise<T> {
  return retry(pace, (count, leftMs) =>
    attempt(count, leftMs).catch((error: unknown) => {
      if (!isConflict(error)) throw error;
      return undefined;
    }),
  );
}

function refuseAsBusy(): never {
  throw busy("The records are being changed by others");
}

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  return (error.CancellationReasons ?? []).some(({ Code }) => Code === "TransactionConflict" || isThrottleCode(Code));
}

/**
 * True if the error's cause is not the item in work: throttling, a lost connection, a missing right. The same work
 * succeeds once the cause is gone. False if the work fails at each try.
 */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "ValidationException" || isInvalidTransaction(error)) return false;
  const { $metadata, code, errors } = error as Error & { $metadata?: unknown; code?: unknown; errors?: unknown };
  const isOfNetwork = typeof code === "string" && /^(E[A-Z_]+|UND_ERR_.*|busy)$/.test(code) && !code.startsWith("ERR_");
  return $metadata !== undefined || isOfNetwork || Array.isArray(errors) || error.name === "TimeoutError";
}

/** True for a write that the table can never carry out, such as one that makes an item too large. */
function isInvalidTransaction(error: Error): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  return (error.CancellationReasons ?? []).some(({ Code }) => Code !== undefined && lasting.has(Code));
}

const lasting = new Set(["ValidationError", "ItemCollectionSizeLimitExceeded"]);
