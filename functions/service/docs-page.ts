import { gunzipSync } from "node:zlib";
import { methodNotAllowed, routeNotFound } from "../../shared/contract/refusals.ts";
import type { HttpAnswer, HttpEvent } from "../../shared/http/event.ts";
import { acceptsGzip } from "./compression.ts";

/** A file of the documentation page. */
export interface PageFile {
  /** Its path. A file that never changes has its hash there. */
  readonly path: string;
  readonly type: string;
  /** Its content, compressed with gzip at build time, in base64. */
  readonly gzip: string;
}

/** The path of the page with the guides; its files are below. */
export const pagePath = "/docs";

/** The path of the page with the operations. */
export const referencePath = `${pagePath}/reference`;

/** The path of the guides' journeys, an Arazzo document. */
export const journeysPath = "/arazzo.json";

/** The path of the overview for language models. */
export const overviewPath = "/llms.txt";

/** The files as JSON text, so that the modules which make them stay outside the bundle. */
declare const DOCS_FILES: string;

let files: ReadonlyMap<string, PageFile> | undefined;

/** The file at a path; undefined if there is none. */
function findPageFile(path: string): PageFile | undefined {
  files ??= new Map((JSON.parse(DOCS_FILES) as PageFile[]).map((file) => [file.path, file]));
  return files.get(path);
}

/** The content security policy: only files of this origin run, and they call only this origin. */
function policyOf(path: string): string {
  // Scalar writes its own styles into the page.
  const styles = path === referencePath ? "'self' 'unsafe-inline'" : "'self'";
  return [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `style-src ${styles}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** A file with its digest in its name, in contrast to the pages and documents. */
const neverChanges = /\.[0-9a-f]{12}\.\w+$/;

/** Browsers keep a file that never changes as long as HTTP allows. */
const secondsOfYear = 365 * 24 * 60 * 60;

/** Answers the page or one of its files; `/` redirects to the page. Refuses other paths, and methods besides GET and HEAD. */
export function answerPage({ rawPath, headers, requestContext }: HttpEvent): HttpAnswer {
  const isRoot = rawPath === "/";
  const file = isRoot ? undefined : findPageFile(rawPath);
  if (!file && !isRoot) throw routeNotFound();
  const { method } = requestContext.http;
  if (method !== "GET" && method !== "HEAD") throw methodNotAllowed(method, ["GET", "HEAD"]);
  if (!file) return { statusCode: 302, headers: { location: pagePath } };
  const { body, isBase64Encoded, encoding } = encode(file, headers["accept-encoding"]);
  const described = {
    "cache-control": neverChanges.test(file.path) ? `public, max-age=${secondsOfYear}, immutable` : "no-cache",
    "content-type": file.type,
    "content-security-policy": policyOf(file.path),
    vary: "Accept-Encoding",
    ...encoding,
  };
  return { statusCode: 200, headers: described, body, isBase64Encoded };
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
