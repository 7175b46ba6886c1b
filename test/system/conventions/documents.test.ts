import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../infra/support/root.ts";
import { contractPages } from "../../../infra/tools/docs/doc-pages.ts";
import { fillTables } from "../../../infra/tools/docs/marked-tables.ts";

const documents = [
  ...globSync("{functions,shared,infra,test,events}/**/*.md", { cwd: root }),
  ...globSync(["*.md", ".github/*.md"], { cwd: root }),
];

test.each(Object.entries(contractPages()))("the tables of %s say what the code says", (page, tables) => {
  const text = read(page);
  expect(text, `tables of ${page} are stale; npm run docs writes them`).toBe(fillTables(text, tables));
});

test("the changelog begins with what is new since the release that package.json names, or with that release", () => {
  const chapters = [...read("CHANGELOG.md").matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  const released = chapters.filter((title) => !title?.startsWith("Unreleased"));
  const { version } = JSON.parse(read("package.json"));
  expect(released[0]).toBe(version.replace(/-rc$/, ""));
  expect(JSON.parse(read("package-lock.json")).packages[""].version).toBe(version);
});

test.each(documents)("every link in %s leads to a file and a heading that exist", (document) => {
  const targets = [...withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  const local = targets.filter((target) => !/^[a-z]+:/.test(target));
  expect(local.filter((target) => !leadsSomewhere(document, target))).toEqual([]);
});

test("every source file that a document names by its path exists", () => {
  const files = globSync("{functions,shared,infra,test}/**/*.{ts,tsx,js}", { cwd: root }).map((file) => `/${file}`);
  const named = documents
    .filter((document) => document !== "CHANGELOG.md")
    .flatMap((document) => [...read(document).matchAll(/`([\w.-]+\/[\w./-]+\.tsx?)`/g)].map(([, path = ""]) => path));
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !files.some((file) => file.endsWith(`/${path}`)))).toEqual([]);
});

test("every document can be reached from the README", () => {
  const reached = new Set(["README.md"]);
  for (const document of reached) {
    for (const [, target = ""] of withoutCode(read(document)).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
      const file = relative(root, join(root, dirname(document), target));
      if (documents.includes(file)) reached.add(file);
    }
  }
  expect(documents.filter((document) => !reached.has(document))).toEqual([]);
});

test("the pages have at most 37,000 words together, of which the runbook has 6,500", () => {
  const words = (pages: readonly string[]) => pages.flatMap((page) => read(page).trim().split(/\s+/)).length;
  expect(words(documents)).toBeLessThanOrEqual(37_000);
  expect(words(["infra/RUNBOOK.md"])).toBeLessThanOrEqual(6_500);
});

test.each([".ci/run", "package.json", "cdk.json"])("every file of the project that %s runs is there", (script) => {
  const [...files] = read(script).matchAll(/(?<![\w./-])(?:infra|test|functions|shared)\/[\w./-]+\.(?:ts|json|sh)/g);
  expect(files.length).toBeGreaterThan(0);
  expect(files.map(([file]) => file).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

function leadsSomewhere(document: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? document : relative(root, join(root, dirname(document), path));
  if (!existsSync(join(root, file))) return false;
  if (anchor === undefined) return true;
  return statSync(join(root, file)).isFile() && anchorsOf(read(file)).includes(anchor);
}

/** The anchors that GitHub makes of a document's headings. */
function anchorsOf(text: string): string[] {
  const headings = [...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, "");
}

function read(document: string): string {
  return readFileSync(join(root, document), "utf8");
}
