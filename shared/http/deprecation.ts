import type { Operation } from "../contract/operation.ts";
import type { HttpRequest } from "./http-event.ts";

/**
 * Middleware: adds to every answer of a deprecated operation the date of its deprecation and the date from which it may
 * be removed (RFC 9745, RFC 8594).
 */
export function announceDeprecation({ since, sunset }: NonNullable<Operation["deprecation"]>) {
  const headers = {
    deprecation: `@${Date.parse(since) / 1_000}`,
    ...(sunset !== undefined && { sunset: new Date(sunset).toUTCString() }),
  };
  const announce = (request: HttpRequest): void => {
    if (request.response)
      request.response = { ...request.response, headers: { ...request.response.headers, ...headers } };
  };
  return { after: announce, onError: announce };
}
