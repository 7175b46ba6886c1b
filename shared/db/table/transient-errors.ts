import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";

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
