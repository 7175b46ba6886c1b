/** The headers that clients send, besides those that browsers send by themselves (D34). */
export const requestHeaders = ["authorization", "content-type", "idempotency-key", "known-client"] as const;

/**
 * The headers that tracing tools of browsers add to every request, by W3C Trace Context and Baggage, and by Sentry. They pass
 * the preflight, and no operation reads them (D34).
 */
export const tracingHeaders = ["traceparent", "tracestate", "baggage", "sentry-trace"] as const;

/** The headers of answers that clients read (D34). */
export const answerHeaders = [
  "change-id",
  "per-page",
  "total",
  "link",
  "authorization",
  "retry-after",
  "x-request-id",
  "idempotency-replayed",
  "www-authenticate",
  "vary",
  "allow",
] as const;
