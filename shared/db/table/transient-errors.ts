/**
 * True for a fault that says nothing about what was being worked on: throttling, a lost connection, a missing right. It
 * passes, or is mended from outside, and then the same work succeeds. An item that is too new is read by the code that a
 * running deploy brings: quarantined, the change would be lost to it. False for what will fail again whenever it is tried.
 */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "ValidationException") return false;
  const { $metadata, code, errors } = error as Error & { $metadata?: unknown; code?: unknown; errors?: unknown };
  const isOfNetwork =
    typeof code === "string" && /^(E[A-Z_]+|UND_ERR_.*|busy|item_too_new)$/.test(code) && !code.startsWith("ERR_");
  return $metadata !== undefined || isOfNetwork || Array.isArray(errors) || error.name === "TimeoutError";
}
