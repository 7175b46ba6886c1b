import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../support/service/new-folder.ts";
import { findMisplaced, findSingles, readBundles } from "./residence.ts";

const both = `import { many } from "../../shared/many.ts";`;

/** A checkout with two functions and a command. */
function checkout(more: Readonly<Record<string, string>> = {}) {
  const folder = newFolder();
  const files = {
    "functions/jobs/one.ts": `${both} import { single } from "../../shared/single.ts"; export const handler = () => many() + single();`,
    "functions/jobs/two.ts": `${both} export const handler = () => many();`,
    "infra/tools/tool.ts": `import { counted } from "../../shared/single.ts"; console.log(counted());`,
    "shared/many.ts": `import type { Shape } from "./shape.ts"; export function many(): Shape { return Date.now(); }`,
    "shared/shape.ts": `import type { Deep } from "./deep.ts"; export type Shape = Deep;`,
    "shared/deep.ts": "export type Deep = number;",
    "shared/single.ts": `export function single() { return counted() + 1; }\nexport function counted() { return Date.now(); }`,
    "shared/client/index.ts": "export const client = 1;",
    "shared/README.md": "",
    ...more,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const bundle = (entryPoints: string[]) =>
    readBundles(folder, { entryPoints, outdir: ".", outbase: ".", format: "esm" });
  return {
    folder,
    functions: bundle(["functions/jobs/one.ts", "functions/jobs/two.ts"]),
    commands: bundle(["infra/tools/tool.ts"]),
  };
}

test("each file of shared is in a function's bundle, or has types alone and is imported by one that is", () => {
  const { folder, functions } = checkout();
  expect(findMisplaced(folder, functions)).toEqual([]);
});

test("a file in no bundle is refused by a sentence that says where it belongs", () => {
  const { folder, functions } = checkout({
    "shared/single.ts": `import { unused } from "./unused.ts"; export function single() { return 1; }`,
    "shared/unused.ts": "export function unused() { return Date.now(); }",
    "shared/tools-only.ts": "export const counted = 1;",
    "shared/tools-types.ts": "export type Row = number;",
    "infra/tools/tool.ts": `import { counted } from "../../shared/tools-only.ts"; import type { Row } from "../../shared/tools-types.ts"; console.log(counted satisfies Row);`,
    "shared/page.css": "",
  });
  expect(findMisplaced(folder, functions)).toEqual([
    "shared/page.css is imported by nobody: move it to infra/ if a command or a build reads it, else delete it.",
    "shared/tools-only.ts is in no function: move it to infra/, beside what uses it, such as infra/tools/tool.ts.",
    "shared/tools-types.ts is in no function: move it to infra/, beside what uses it, such as infra/tools/tool.ts.",
    "shared/unused.ts is in no function: move it to infra/, beside what uses it, such as shared/single.ts.",
  ]);
});

test("the report names the exports that one function has and no command", () => {
  const { folder, functions, commands } = checkout();
  expect(findSingles(folder, functions, commands)).toEqual(new Map([["one", ["shared/single.ts: single"]]]));
});
