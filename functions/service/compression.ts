import { gzipSync } from "node:zlib";
import type { HttpHandler } from "../../shared/http/endpoint.ts";

/** A handler whose 200s are sent compressed to clients that accept gzip: API Gateway compresses nothing by itself. */
export function compressed(handle: HttpHandler): HttpHandler {
  let last = { text: "", gzip: "" };
  const gzipOf = (text: string) => {
    if (text !== last.text) last = { text, gzip: gzipSync(text).toString("base64") };
    return last.gzip;
  };
  return async (event, context) => {
    const answer = await handle(event, context);
    if (answer.statusCode !== 200 || answer.body === undefined) return answer;
    const headers = { ...answer.headers, vary: "Accept-Encoding" };
    if (!acceptsGzip(event.headers["accept-encoding"])) return { ...answer, headers };
    const zipped = { ...headers, "content-encoding": "gzip" };
    return { ...answer, headers: zipped, body: gzipOf(answer.body), isBase64Encoded: true };
  };
}

/** Whether an `Accept-Encoding` has gzip with a weight above 0 (RFC 9110, 12.5.3). */
export function acceptsGzip(accepted = ""): boolean {
  const weights = accepted.split(",").map((part) => {
    const [coding = "", weight = "q=1"] = part.split(";").map((text) => text.trim().toLowerCase());
    return [coding, Number(weight.slice("q=".length))] as const;
  });
  const [, weight = 0] =
    weights.find(([coding]) => coding === "gzip") ?? weights.find(([coding]) => coding === "*") ?? [];
  return weight > 0;
}
