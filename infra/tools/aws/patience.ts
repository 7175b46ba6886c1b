import type { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { paces, retry } from "../../../shared/db/table/retry.ts";
import { tableClient } from "../../../shared/db/table/table.ts";
import { Refusal } from "../../../shared/domain/refusal.ts";
import { isThrottleCode, isThrottled } from "../../../shared/throttles.ts";
import { codeOf, kindOfAwsFault } from "./aws-faults.ts";

/** The table refused a call, or did not answer it, for as long as a tool waits. */
export class TableOutage extends Error {}

/**
 * Repeats work that the table puts off, with jitter, for as long as a tool waits, or until the signal. The work must be safe to
 * repeat. Calls `onWait` with each reason to wait.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  signal?: AbortSignal,
  onWait?: (reason: string) => void,
): Promise<T> {
  const begunAt = performance.now();
  let last: unknown;
  const giveUp = (): never => {
    if (last instanceof Refusal) throw last;
    const seconds = Math.round((performance.now() - begunAt) / 1_000);
    throw new TableOutage(`The table did not do a call for ${seconds} s: ${nameOf(last)}.`, { cause: last });
  };
  const attempt = async () => {
    try {
      return { done: await work() };
    } catch (error) {
      if (!isPutOff(error)) throw error;
      last = error;
      onWait?.(nameOf(error));
      return signal?.aborted ? giveUp() : undefined;
    }
  };
  const { done } = await retry(paces.tool, attempt, giveUp);
  return done;
}

/** After the call has its bytes, before the SDK's own attempts. */
const place = { name: "patience", step: "build", priority: "low" } as const;

/**
 * Makes every call of the table patient while some work runs. A repeated call has the bytes of the first. So a write
 * whose answer was lost is recognised, as after a repetition by the SDK.
 */
export async function withPatientTable<T>(
  work: () => Promise<T>,
  waits: (reason: string | undefined) => void,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { middlewareStack } = tableClient();
  const waiting = new Set<object>();
  middlewareStack.add(
    (next) => async (args) => {
      const onWait = (reason: string) => {
        waiting.add(args);
        waits(reason);
      };
      try {
        return await patiently(() => next(args), signal, onWait);
      } finally {
        if (waiting.delete(args) && waiting.size === 0) waits(undefined);
      }
    },
    place,
  );
  try {
    return await work();
  } finally {
    middlewareStack.remove(place.name);
  }
}

/** True if the same work may succeed in a moment: the table is overloaded, does not answer, or has failed. */
function isPutOff(error: unknown): boolean {
  if (error instanceof Refusal) return error.code === "busy";
  const { CancellationReasons: reasons, $metadata } = error as Partial<TransactionCanceledException>;
  if (reasons) return reasons.every(({ Code = "None" }) => Code === "None" || isThrottleCode(Code));
  const hasFailed = ($metadata?.httpStatusCode ?? 0) >= 500;
  return isThrottled(error) || hasFailed || kindOfAwsFault(error) === "unreachable";
}

function nameOf(error: unknown): string {
  return error instanceof Refusal ? error.code : codeOf(error as Error) || (error as Error).name;
}
