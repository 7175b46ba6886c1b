import { settings } from "./settings.ts";

/** The limits of a call: its time, and the number of attempts by the SDK. */
interface CallLimit {
  /** Milliseconds of one attempt. Connecting has a shorter limit. */
  readonly attemptMs: number;
  readonly attempts: number;
}

/**
 * The limits of every call to AWS. A call that a queue repeats has one attempt: a
 * second one after a lost answer would send the message twice. The calls of each function, with all attempts, fit into
 * its timeout; a test adds them up.
 */
export const callLimits = {
  table: { attemptMs: 650, attempts: 3 },
  secret: { attemptMs: 1_000, attempts: 2 },
  /** A message to a queue from a client's request. */
  requestQueue: { attemptMs: 650, attempts: 3 },
  /** A message to a queue from a worker, whose own queue or stream repeats it. */
  workerQueue: { attemptMs: 3_000, attempts: 1 },
  /** An e-mail, an SMS or a push. */
  message: { attemptMs: 3_000, attempts: 1 },
  /** Events that a worker puts on the outbound bus; its queue repeats them. */
  outboundBus: { attemptMs: 3_000, attempts: 1 },
} as const satisfies Readonly<Record<string, CallLimit>>;

/** AWS is in the same region: a connection stands within some milliseconds, or its host is gone. */
const connectionMs = 500;

/**
 * The options of every SDK client. Without them the SDK waits forever, and a hanging connection would use up the
 * function's time.
 */
export function limitedBy({ attemptMs, attempts }: CallLimit) {
  const patience = settings.callPatience();
  const requestTimeout = attemptMs * patience;
  const requestHandler = {
    connectionTimeout: connectionMs * patience,
    requestTimeout,
    // `requestTimeout` ends with the answer's head; this one is for its body.
    socketTimeout: requestTimeout,
    throwOnRequestTimeout: true,
  };
  const maxAttempts = attempts === 1 ? 1 : Math.max(attempts, settings.callAttempts());
  const isPatient = maxAttempts > attempts;
  return { maxAttempts, requestHandler, ...(isPatient && { retryStrategy: patientRetries(maxAttempts) }) };
}

/** The SDK asks it before an attempt of a call: how many retries there were, and how long to wait. */
interface RetryToken {
  getRetryCount(): number;
  getRetryDelay(): number;
}

/** The pause before each of them: a table is away for milliseconds, or for seconds. */
const patientPauseMs = 250;

/** Retries of what the SDK retries, without its quota for all calls of a client: a second without the table uses that up. */
function patientRetries(attempts: number) {
  const tokenOf = (count: number): RetryToken => ({
    getRetryCount: () => count,
    getRetryDelay: () => (count === 0 ? 0 : patientPauseMs),
  });
  return {
    acquireInitialRetryToken: async () => tokenOf(0),
    async refreshRetryTokenForRetry(token: RetryToken, { errorType }: { readonly errorType: string }) {
      const count = token.getRetryCount() + 1;
      if (count < attempts && /^(TRANSIENT|THROTTLING)$/.test(errorType)) return tokenOf(count);
      throw new Error("The call has had its attempts");
    },
    recordSuccess() {},
  };
}

/** AWS's words for a throttle, in the name of an error, the reason of a cancelled transaction, and the code of a part of a batch. */
const throttle = /throttl|^TooManyRequests|^RequestLimitExceeded|ThroughputExceeded|^SlowDown|^OverLimit/i;
/** Other services pass a throttle of KMS on in an error of their own, whose message quotes it. */
const throttleOfKms = /rate at which you may call KMS|Service: \w*KMS;.*ThrottlingException/i;

/** The parts of AWS's errors that say why a call was refused. */
interface AwsError {
  readonly $retryable?: { readonly throttling?: boolean };
  readonly $metadata?: { readonly httpStatusCode?: number };
  /** Of a cancelled transaction. */
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

/** True if a code of AWS's, such as the reason of a cancelled transaction, means a throttle. */
export function isThrottleCode(code: string | undefined): boolean {
  return code !== undefined && throttle.test(code);
}

/** True for an error of AWS that says no more than that too much was asked of it: the same call succeeds later. */
export function isThrottled(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { $retryable, $metadata, CancellationReasons: reasons = [] } = error as AwsError;
  if ($retryable?.throttling === true || $metadata?.httpStatusCode === 429) return true;
  if (isThrottleCode(error.name) || throttleOfKms.test(error.message)) return true;
  return reasons.some(({ Code }) => isThrottleCode(Code));
}
