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
