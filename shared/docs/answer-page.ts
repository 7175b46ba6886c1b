import { gunzipSync } from "node:zlib";
import { routeNotFound } from "../domain/refusal.ts";
import type { HttpAnswer, HttpEvent } from "../http/http-event.ts";
import { findPageFile, type PageFile, pagePath } from "./page-files.ts";

/**
 * The content security policy: only files of this origin run, and they call only this origin. Inline styles are allowed
 * because Scalar writes its own into the page.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Files have their digest in the name: browsers keep them as long as HTTP allows. */
const secondsOfYear = 365 * 24 * 60 * 60;

/** Answers a GET or HEAD for the page or one of its files; `/` redirects to the page. Other paths are refused as not found. */
export function answerPage({ rawPath, headers }: Pick<HttpEvent, "rawPath" | "headers">): HttpAnswer {
  if (rawPath === "/") return { statusCode: 302, headers: { location: pagePath } };
  const file = findPageFile(rawPath);
  if (!file) throw routeNotFound();
  const cached = cacheHeaders(file);
  const known = headers["if-none-match"]?.split(",").map((tag) => tag.trim());
  if (known?.includes(cached.etag)) return { statusCode: 304, headers: cached };
  const { body, isBase64Encoded, encoding } = encode(file, headers["accept-encoding"]);
  const described = { "content-type": file.type, "content-security-policy": policy, ...encoding };
  return { statusCode: 200, headers: { ...cached, ...described }, body, isBase64Encoded };
}

/** A weak validator, because the content is the same in every encoding but the bytes are not. */
function cacheHeaders({ path, hash }: PageFile) {
  const control = path === pagePath ? "no-cache" : `public, max-age=${secondsOfYear}, immutable`;
  return { "cache-control": control, etag: `W/"${hash}"`, vary: "Accept-Encoding" };
}

interface Encoded {
  readonly body: string;
  readonly isBase64Encoded: boolean;
  readonly encoding: Readonly<Record<string, string>>;
}

/** As text, Scalar's bundle fits into a result of Lambda; in base64 it would soon be too long. */
function encode({ gzip }: PageFile, accepted = ""): Encoded {
  if (acceptsGzip(accepted)) return { body: gzip, isBase64Encoded: true, encoding: { "content-encoding": "gzip" } };
  return { body: gunzipSync(Buffer.from(gzip, "base64")).toString(), isBase64Encoded: false, encoding: {} };
}

/** Whether an `Accept-Encoding` has gzip with a weight above 0 (RFC 9110, 12.5.3). */
function acceptsGzip(accepted: string): boolean {
  const weights = accepted.split(",").map((part) => {
    const [coding = "", weight = "q=1"] = part.split(";").map((text) => text.trim().toLowerCase());
    return [coding, Number(weight.slice("q=".length))] as const;
  });
  const [, weight = 0] =
    weights.find(([coding]) => coding === "gzip") ?? weights.find(([coding]) => coding === "*") ?? [];
  return weight > 0;
}
