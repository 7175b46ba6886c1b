/** The headers that clients send, besides those that browsers send by themselves (D34). */
export const requestHeaders = [
  "authorization",
  "content-type",
  "idempotency-key",
  "if-none-match",
  "known-client",
] as const;

/** The headers of answers that clients read (D34). */
export const answerHeaders = [
  "change-id",
  "per-page",
  "total",
  "link",
  "etag",
  "authorization",
  "retry-after",
  "x-request-id",
  "idempotency-replayed",
  "www-authenticate",
  "vary",
  "allow",
] as const;
