import { AdaptiveRetryStrategy, DefaultRateLimiter } from "@smithy/core/retry";
import { Refusal } from "../../../shared/contract/refusals.ts";
import { isThrottled } from "../../../shared/run/call-limits.ts";
import { paces, retry } from "../../../shared/table/retry.ts";
import { tableClient } from "../../../shared/table/table.ts";
import { codeOf } from "./aws-faults.ts";

/** The table refused a call, or did not answer it, for as long as a tool waits. */
export class TableOutage extends Error {}

/** A table that throttles is asked so often at least: the SDK's own least, a call in two seconds, would hold an import up for minutes. */
const leastCallsASecond = 10;

/** The outages by the errors of the SDK that end them. */
const outages = new WeakMap<Error, TableOutage>();

/**
 * Has the SDK's adaptive retry repeat every call of the table while some work runs, for as long as a tool waits or until the signal.
 * Calls `waits` with each reason to wait, and with undefined when the last waiting call goes on.
 */
export async function withPatientTable<T>(
  work: () => Promise<T>,
  waits: (reason: string | undefined) => void,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { config } = tableClient();
  const usual = config.retryStrategy;
  const rateLimiter = new DefaultRateLimiter({ minFillRate: leastCallsASecond });
  const shared = { rateLimiter, waiting: new Set<object>(), waits, signal };
  // One for each call, which has its own limit.
  config.retryStrategy = async () => new RetriesOfCall(shared);
  try {
    return await work();
  } catch (error) {
    throw outages.get(error as Error) ?? error;
  } finally {
    config.retryStrategy = usual;
  }
}

interface Shared {
  readonly rateLimiter: DefaultRateLimiter;
  readonly waiting: Set<object>;
  readonly waits: (reason: string | undefined) => void;
  readonly signal: AbortSignal | undefined;
}

const unlimited = Number.POSITIVE_INFINITY;

type Refresh = Parameters<AdaptiveRetryStrategy["refreshRetryTokenForRetry"]>;

/** The SDK's retries of one call, with a limit in time in place of one in attempts. */
class RetriesOfCall extends AdaptiveRetryStrategy {
  readonly #begunAt = performance.now();
  readonly #shared: Shared;

  constructor(shared: Shared) {
    super(unlimited, shared);
    this.#shared = shared;
  }

  override async refreshRetryTokenForRetry(...[token, info]: Refresh) {
    const { waiting, waits, signal } = this.#shared;
    const waitedMs = performance.now() - this.#begunAt;
    const error = info.error as Error;
    const name = codeOf(error) || error.name;
    try {
      if (info.errorType === "THROTTLING" || info.errorType === "TRANSIENT") {
        waiting.add(this);
        waits(name);
        if (waitedMs > paces.tool.withinMs || signal?.aborted) {
          const message = `The table did not do a call for ${Math.round(waitedMs / 1_000)} s: ${name}.`;
          outages.set(error, new TableOutage(message, { cause: error }));
          throw error;
        }
      }
      // A new one has all of the SDK's quota of retries, which some 35 failures in a row use up: sooner than a tool gives up.
      return await new AdaptiveRetryStrategy(unlimited, this.#shared).refreshRetryTokenForRetry(token, info);
    } catch (refusal) {
      this.#goesOn();
      throw refusal;
    }
  }

  override recordSuccess(...parameters: Parameters<AdaptiveRetryStrategy["recordSuccess"]>): void {
    super.recordSuccess(...parameters);
    this.#goesOn();
  }

  #goesOn(): void {
    const { waiting, waits } = this.#shared;
    if (waiting.delete(this) && waiting.size === 0) waits(undefined);
  }
}

/** Repeats work that the table puts off because of others' writes, for as long as a tool waits. The work must be safe to repeat. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  let last: unknown;
  const attempt = async () => {
    try {
      return { done: await work() };
    } catch (error) {
      if (!isBusy(error)) throw error;
      last = error;
      return undefined;
    }
  };
  const giveUp = () => {
    throw last;
  };
  return (await retry(paces.tool, attempt, giveUp)).done;
}

/** True where others hold the records, or a transaction was cancelled for load, which the SDK does not repeat. */
function isBusy(error: unknown): boolean {
  if (error instanceof Refusal) return error.code === "busy";
  return isThrottled(error) && !outages.has(error);
}
