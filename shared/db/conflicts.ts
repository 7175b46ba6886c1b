import {
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { Refusal } from "../domain/refusal.ts";

/** How long writes that lose against running transactions are retried before the caller is asked to come back (D18). */
const patienceMs = 1_000;
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
      const pause = Math.random() * Math.min(25 * 2 ** attempt, longestPauseMs);
      if (performance.now() - startedAt + pause > patienceMs) throw busy();
      await new Promise((resume) => setTimeout(resume, pause));
    }
  }
}

/** The refusal of a write that kept losing against others. */
export function busy(): Refusal {
  return new Refusal("busy", "The records are being changed by others", { retryAfterSeconds });
}

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException || error instanceof TransactionInProgressException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code);
  return codes.some((code) => code !== undefined && passingCodes.has(code));
}

const passingCodes = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);
