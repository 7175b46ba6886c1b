/**
 * True for an error that is not caused by the item in work: throttling, a lost connection, a missing right. Once it passes
 * or is fixed, the same work succeeds. An item that is too new counts as well: code that a running deploy brings can read it.
 * False for what fails however often it is tried.
 */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "ValidationException") return false;
  const { $metadata, code, errors } = error as Error & { $metadata?: unknown; code?: unknown; errors?: unknown };
  const isOfNetwork =
    typeof code === "string" && /^(E[A-Z_]+|UND_ERR_.*|busy|item_too_new)$/.test(code) && !code.startsWith("ERR_");
  return $metadata !== undefined || isOfNetwork || Array.isArray(errors) || error.name === "TimeoutError";
}
