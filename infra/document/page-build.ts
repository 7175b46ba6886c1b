import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  journeysPath,
  overviewPath,
  type PageFile,
  pagePath,
  referencePath,
} from "../../functions/service/docs-page.ts";
import { operations } from "../../shared/contract/operations.ts";
import { root } from "../support/root.ts";
import { contentsOf, type Guide, guideSources, journeysOf, readGuides, sectionsOf } from "./guide-pages.ts";
import { arazzoOf, payingNeedsAPerson } from "./journeys.ts";

const folder = "infra/document/page";
const sources = ["guides.html", "guides.css", "guides.js", "reference.html", "reference.css", "reference.js"];

/** The sources of the documentation page, from the folder of the checkout. */
export function pageSources(): string[] {
  return [...sources.map((name) => `${folder}/${name}`), ...guideSources()];
}

/** HTML that the local machine adds to the pages; nothing for a deployed stage. */
export interface LocalParts {
  /** In the head of each page. */
  readonly head: string;
  /** The element in which the reader chooses a person. */
  readonly slot: string;
}

/** The define for the page's function: its files as text, in place of `DOCS_FILES`. */
export function pageDefine(local: LocalParts = { head: "", slot: "" }): { DOCS_FILES: string } {
  // A string literal.
  return { DOCS_FILES: JSON.stringify(JSON.stringify(buildPageFiles(local))) };
}

/** The pages and their files. Each file that a page names has its hash in its path. */
function buildPageFiles(local: LocalParts): PageFile[] {
  const guides = readGuides();
  const guidesFiles = {
    style: hashedFile("guides.css", "text/css", readSource("guides.css")),
    script: hashedFile("guides.js", "text/javascript", readSource("guides.js")),
  };
  const referenceFiles = {
    scalar: scalarFile(),
    style: hashedFile("reference.css", "text/css", readSource("reference.css")),
    script: hashedFile("reference.js", "text/javascript", readSource("reference.js")),
  };
  const common = { icon: iconLink, local: local.head };
  const contents = { contents: contentsOf(guides), guides: sectionsOf(guides, local.slot) };
  return [
    fileOf(pagePath, "text/html", fill("guides.html", { ...common, ...contents, ...pathsOf(guidesFiles) })),
    fileOf(
      referencePath,
      "text/html",
      fill("reference.html", { ...common, slot: local.slot, ...pathsOf(referenceFiles) }),
    ),
    fileOf(`${pagePath}/guides.md`, "text/markdown", guides.map(({ markdown }) => markdown).join("\n")),
    fileOf(journeysPath, "application/json", JSON.stringify(arazzoOf(journeysOf(guides)), null, 2)),
    fileOf(overviewPath, "text/plain", overviewOf(guides)),
    ...Object.values(guidesFiles),
    ...Object.values(referenceFiles),
  ];
}

const iconLink =
  '<link rel="icon" type="image/svg+xml" href="data:image/svg+xml,%3Csvg xmlns=\'http://www.w3.org/2000/svg\' viewBox=\'0 0 32 32\'%3E' +
  "%3Crect width='32' height='32' rx='7' fill='%230b5c5a'/%3E%3Cpath d='M7 9l4 14 5-11 5 11 4-14' fill='none' stroke='%23fff' " +
  "stroke-width='3' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E\">";

/** The overview for language models, in the form of llmstxt.org. */
function overviewOf(guides: readonly Guide[]): string {
  const calls = operations.map(({ name, method, path, summary }) => `- ${name}: \`${method} ${path}\`. ${summary}`);
  const repeated = operations.filter(({ idempotent }) => idempotent).map(({ name }) => `\`${name}\``);
  const links = guides.map(({ id, title }) => `- [${title}](${pagePath}#${id})`);
  return `# Workforce API

> Timesheets, invoices, jobs and notifications of companies and the people who work for them, behind one JSON interface.

${payingNeedsAPerson}

A program signs in with an API key of its user, sent as a bearer token: \`POST /api/v1/users/keys\` makes one.

Send an \`Idempotency-Key\` with ${repeated.join(", ")}, and branch on the \`code\` of a refusal.

## Documents

- [OpenAPI document](/api/v1/openapi.json): every operation, parameter, answer and code
- [Journeys](${journeysPath}): workflows in Arazzo 1.0.1, step by step
- [Guides as Markdown](${pagePath}/guides.md): all guides in one file

## Guides

${links.join("\n")}

## Operations

${calls.join("\n")}
`;
}

/** A page with values in the places that it names: `{{name}}` in attributes, a comment between elements. */
function fill(file: string, values: Readonly<Record<string, string>>): string {
  return readSource(file).replaceAll(/\{\{(\w+)\}\}|<!-- (\w+) -->/g, (place, attribute = "", element = "") => {
    return values[attribute || element] ?? place;
  });
}

function pathsOf(files: Readonly<Record<string, PageFile>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, { path }]) => [name, path]));
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
  const module = readFileSync(join(root, "node_modules/@scalar/fastify-api-reference/dist/index.js"), "utf8");
  const [, literal] = /^var standalone_default = (".*");$/m.exec(module) ?? [];
  if (literal === undefined) throw new Error("@scalar/fastify-api-reference has no standalone bundle where it was");
  return JSON.parse(literal.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1)));
}

function hashedFile(name: string, type: string, text: string): PageFile {
  const [stem, extension] = name.split(".");
  return fileOf(`${pagePath}/${stem}.${hashOf(text)}.${extension}`, type, text);
}

function fileOf(path: string, type: string, text: string): PageFile {
  const gzip = gzipSync(text, { level: 9 }).toString("base64");
  return { path, type: `${type}; charset=utf-8`, gzip };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function readSource(file: string): string {
  return readFileSync(join(root, folder, file), "utf8");
}
