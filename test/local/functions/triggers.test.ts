import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runTriggers } from "../../../infra/local/functions/triggers.ts";
import type { LocalFunction } from "../../../infra/local/stack/template.ts";
import { newFolder } from "../../support/service/new-folder.ts";

let directory: string;

beforeEach(() => {
  directory = newFolder();
});

/** A function of that body. */
function define(name: string, body: string): LocalFunction {
  const folder = join(directory, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "index.mjs"), `export const handler = async () => { ${body} };`);
  return { name, directory: folder, environment: { OWN: name }, timeoutSeconds: 5, memoryMegabytes: 128 };
}

const mark = 'process.getBuiltinModule("node:fs").appendFileSync(process.env.MARKS, process.env.OWN + "\\n");';

test("the triggered functions run to their end with their settings, in order; no other runs", async () => {
  const marks = join(directory, "marks");
  const functions = [define("first", mark), define("second", mark), define("third", mark)];
  await runTriggers({ functions, environment: { MARKS: marks }, triggers: ["third", "first"] });
  expect(readFileSync(marks, "utf8")).toBe("third\nfirst\n");
});

test("a triggered function that fails is named with its reason, as a deploy would fail", async () => {
  const functions = [define("make-key", 'throw new Error("no key today");')];
  const running = runTriggers({ functions, environment: {}, triggers: ["make-key"] });
  await expect(running).rejects.toThrow(/^make-key.+no key today/);
});

test("a trigger that names no function of the stack is a fault", async () => {
  await expect(runTriggers({ functions: [], environment: {}, triggers: ["nobody"] })).rejects.toThrow("nobody");
});
