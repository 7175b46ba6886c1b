import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../infra/support/root.ts";
import { contractPages } from "../../../infra/tools/docs/doc-pages.ts";
import { fillTables } from "../../../infra/tools/docs/marked-tables.ts";
import { pinRules } from "../../../shared/people/pins.ts";

const documents = [
  ...globSync("{functions,shared,infra,test,events}/**/*.md", { cwd: root }),
  ...globSync(["*.md", ".github/*.md"], { cwd: root }),
];

test.each(Object.entries(contractPages()))("the tables of %s say what the code says", (page, tables) => {
  const text = read(page);
  expect(text, `tables of ${page} are stale; npm run docs writes them`).toBe(fillTables(text, tables));
});

/** The contract imports no rules, so the texts of its document are read like pages. */
const pagesOnPins = [
  "shared/contract/README.md",
  "infra/document/texts/{accounts,refusals}.ts",
  "infra/document/guides/*.md",
  "infra/RUNBOOK.md",
  "infra/local/README.md",
];
const pinLife =
  /\b(?:pins?|it|one) (?:[^.|]{0,40} )?(?:valid for|counts for|older than|of the last|after its|works:) (\w+) minutes/gi;

test("pages and texts say how long a pin lives as pinRules.lifeMinutes in shared/people/pins.ts does", () => {
  const said = globSync(pagesOnPins, { cwd: root }).flatMap((page) => {
    const text = read(page).replaceAll(/\s+/g, " ");
    return [...text.matchAll(pinLife)].map(([words, minutes]) => ({ page, words, minutes }));
  });
  const isRight = ({ minutes = "" }) => (minutes === "twelve" ? 12 : Number(minutes)) === pinRules.lifeMinutes;
  expect(said.filter((each) => !isRight(each))).toEqual([]);
  expect(said.length).toBeGreaterThan(0);
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

test("whoever answers an alarm has little to read: the runbook has at most 6,500 words", () => {
  expect(read("infra/RUNBOOK.md").split(/\s+/).length).toBeLessThanOrEqual(6_500);
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
