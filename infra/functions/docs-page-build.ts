import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { type PageFile, pagePath } from "../../shared/docs/page-files.ts";
import { root } from "./bundle-places.ts";

const folder = "shared/docs";
/** The signatures that a guide links to. */
const signaturesFile = "guides/webhook-signatures.json";

/** The sources of the documentation page, from the folder of the checkout. */
export function pageSources(): string[] {
  return [
    ...["index.html", "page.css", "page.js"].map((name) => `${folder}/page/${name}`),
    ...guideSources(),
    `${folder}/${signaturesFile}`,
  ];
}

const { compare: byNumber } = new Intl.Collator("en", { numeric: true });

/** The guides, in reading order. */
export function guideSources(): string[] {
  return globSync(`${folder}/guides/*.md`, { cwd: root }).toSorted(byNumber);
}

/** The define for the page's function: its files as text, in place of `DOCS_FILES`. */
export function pageDefine(): { DOCS_FILES: string } {
  // A string literal.
  return { DOCS_FILES: JSON.stringify(JSON.stringify(buildPageFiles())) };
}

/** The page and its files. Each file that the page names has its hash in its path. */
function buildPageFiles(): PageFile[] {
  const signatures = hashedFile("webhook-signatures.json", "application/json", readSource(signaturesFile));
  const guides = guideSources()
    .map((file) => readRoot(file).replaceAll(/<!--.*?-->\n*/g, ""))
    .join("\n")
    .replaceAll("(webhook-signatures.json)", `(${signatures.path})`);
  const named = {
    scalar: scalarFile(),
    style: hashedFile("page.css", "text/css", readSource("page/page.css")),
    script: hashedFile("page.js", "text/javascript", readSource("page/page.js")),
    guides: hashedFile("guides.md", "text/markdown", guides),
    signatures,
  };
  const paths = new Map(Object.entries(named).map(([name, { path }]) => [`{{${name}}}`, path]));
  const html = readSource("page/index.html").replaceAll(/\{\{\w+\}\}/g, (place) => paths.get(place) ?? place);
  return [fileOf(pagePath, "text/html", html), ...Object.values(named)];
}

let scalar: PageFile | undefined;

/** Kept, because it takes a tenth of a second and is the same for every build of a program. */
function scalarFile(): PageFile {
  scalar ??= hashedFile("scalar.js", "text/javascript", readScalar());
  return scalar;
}

/**
 * Scalar's standalone bundle. Its package for Fastify has it as a string, and a tenth of the dependencies of the package
 * that it is built in. As JSON, the string needs its control characters escaped.
 */
function readScalar(): string {
  const module = readRoot("node_modules/@scalar/fastify-api-reference/dist/index.js");
  const [, literal] = /^var standalone_default = (".*");$/m.exec(module) ?? [];
  if (literal === undefined) throw new Error("@scalar/fastify-api-reference has no standalone bundle where it was");
  return JSON.parse(literal.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1)));
}

function hashedFile(name: string, type: string, text: string): PageFile {
  const [stem, extension] = basename(name).split(".");
  return fileOf(`${pagePath}/${stem}.${hashOf(text)}.${extension}`, type, text);
}

function fileOf(path: string, type: string, text: string): PageFile {
  const gzip = gzipSync(text, { level: 9 }).toString("base64");
  return { path, type: `${type}; charset=utf-8`, hash: hashOf(text), gzip };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function readSource(file: string): string {
  return readRoot(join(folder, file));
}

function readRoot(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
