import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";

/**
 * True for an error that is not caused by the item in work: throttling, a lost connection, a missing right. Once it passes
 * or is fixed, the same work succeeds.
 * False for what fails however often it is tried.
 */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "ValidationException" || isInvalidTransaction(error)) return false;
  const { $metadata, code, errors } = error as Error & { $metadata?: unknown; code?: unknown; errors?: unknown };
  const isOfNetwork = typeof code === "string" && /^(E[A-Z_]+|UND_ERR_.*|busy)$/.test(code) && !code.startsWith("ERR_");
  return $metadata !== undefined || isOfNetwork || Array.isArray(errors) || error.name === "TimeoutError";
}

/** True for a call that the table refused because it, or a partition of it, takes no more at the moment. */
export function isThrottled(error: unknown): boolean {
  const names = ["ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException"];
  return error instanceof Error && names.includes(error.name);
}

/** A write that the table cannot carry out, such as one that makes an item too large, fails at each try. */
function isInvalidTransaction(error: Error): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  return (error.CancellationReasons ?? []).some(({ Code }) => Code !== undefined && lasting.has(Code));
}

const lasting = new Set(["ValidationError", "ItemCollectionSizeLimitExceeded"]);
