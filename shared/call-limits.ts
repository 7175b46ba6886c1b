import { settings } from "./settings.ts";

/** How long a call may take, and how often the SDK makes it. */
export interface CallLimit {
  /** Milliseconds of one attempt; without a connection it ends sooner. */
  readonly attemptMs: number;
  readonly attempts: number;
}

/**
 * The limits of every call to AWS, and to the receivers of webhooks. What a queue brings again has one attempt: after a lost
 * answer a second one would send the message twice. Times and attempts of the calls in a row fit into the time of each function,
 * which a test adds up.
 */
export const callLimits = {
  table: { attemptMs: 650, attempts: 3 },
  secret: { attemptMs: 1_000, attempts: 2 },
  /** A message to a queue that a request of a client leaves. */
  requestQueue: { attemptMs: 650, attempts: 3 },
  /** A message to a queue from a worker, whose own queue or stream repeats it. */
  workerQueue: { attemptMs: 3_000, attempts: 1 },
  /** A function's call of itself, which does a part of its work. */
  ownFunction: { attemptMs: 60_000, attempts: 3 },
  /** An e-mail, an SMS or a push. */
  message: { attemptMs: 3_000, attempts: 1 },
  /** An event to a webhook's receiver, from its name's resolution on; the webhook's queue repeats it. */
  webhook: { attemptMs: 5_000, attempts: 1 },
  /** Events that a worker puts on the outbound bus; its queue repeats them. */
  outboundBus: { attemptMs: 3_000, attempts: 1 },
} as const satisfies Readonly<Record<string, CallLimit>>;

const connectionMs = 500;

/**
 * What every client of the SDK is made with. Without these options the SDK waits for ever: a connection that hangs would
 * take all of a function's time.
 */
export function limitedBy({ attemptMs, attempts }: CallLimit) {
  const patience = settings.callPatience();
  const requestTimeout = attemptMs * patience;
  const requestHandler = {
    connectionTimeout: Math.min(connectionMs * patience, requestTimeout),
    requestTimeout,
    // The request's time ends with the head of the answer; this one is for its body.
    socketTimeout: requestTimeout,
    throwOnRequestTimeout: true,
  };
  return { maxAttempts: attempts, requestHandler };
}
