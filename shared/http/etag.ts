import { hash } from "node:crypto";
import type { HttpAnswer, HttpRequest } from "./http-event.ts";

/** The headers that a 304 keeps. */
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
 * Middleware for reads that clients may repeat conditionally. A 200 gets a strong ETag over its body, `total` and
 * `Link`. If `If-None-Match` names it, the answer is a 304 without body (D43, RFC 9110). The service has read
 * everything by then, so only bytes are saved.
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

/** Some 130 ETags; a client has one, and a cache a few. */
const longestCondition = 4_096;

function etagOf({ body = "", headers = {} }: HttpAnswer): string {
  const place = JSON.stringify([headers.total, headers.link]);
  return `"${hash("sha256", `${place}\n${body}`, "base64url").slice(0, 27)}"`;
}

/** `If-None-Match` compares weakly, because compression on the way turns an ETag into a weak one. */
function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined || condition.length > longestCondition) return false;
  return condition.trim() === "*" || [...condition.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag);
}

/** Keeps the media type: caches take the headers of a 304, and API Gateway adds a type if there is none. */
function notModified({ headers = {} }: HttpAnswer): HttpAnswer {
  const kept = Object.entries(headers).filter(([name]) => sentAgain.includes(name));
  return { statusCode: 304, headers: Object.fromEntries(kept) };
}
