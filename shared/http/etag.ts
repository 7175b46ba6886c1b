import { createHash } from "node:crypto";
import type { HttpAnswer, HttpRequest } from "./request.ts";

/** The headers in which a repeated answer may differ while its ETag stays. */
const sentAgain = [
  "cache-control",
  "content-type",
  "etag",
  "referrer-policy",
  "vary",
  "x-content-type-options",
  "x-request-id",
];

/**
 * Middleware of a read that clients may repeat on a condition: a 200 gets a strong ETag over its body, `total` and `Link`, and is
 * a 304 without body where `If-None-Match` names it (D43, RFC 9110). The read has been made by then: this saves bytes alone.
 */
export function answerConditions() {
  return {
    after(request: HttpRequest): void {
      const { response, event } = request;
      if (response?.statusCode !== 200) return;
      const etag = etagOf(response);
      const conditions = { etag, "cache-control": "private, no-cache", vary: "Authorization, Origin" };
      const answer = { ...response, headers: { ...response.headers, ...conditions } };
      request.response = matches(event.headers["if-none-match"], etag) ? notModified(answer) : answer;
    },
  };
}

function etagOf({ body = "", headers = {} }: HttpAnswer): string {
  const place = JSON.stringify([headers.total, headers.link]);
  return `"${createHash("sha256").update(place).update("\n").update(body).digest("base64url").slice(0, 27)}"`;
}

/** `If-None-Match` compares weakly: what compresses an answer on its way makes its ETag a weak one. */
function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition.trim() === "*" || [...condition.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag);
}

/** Its media type stays: caches take over the headers of a 304, and API Gateway adds one where none is. */
function notModified({ headers = {} }: HttpAnswer): HttpAnswer {
  const kept = Object.entries(headers).filter(([name]) => sentAgain.includes(name));
  return { statusCode: 304, headers: Object.fromEntries(kept) };
}
