import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../support/service/new-folder.ts";
import { countGates, countTests } from "./count-tests.ts";

const program = join(import.meta.dirname, "count-tests.ts");

test("passed and failed tests are counted, and a file that did not load as one that failed", () => {
  const testResults = [
    { status: "failed", assertionResults: [{}, {}] },
    { status: "failed", assertionResults: [] },
    { status: "passed", assertionResults: [] },
  ];
  expect(countTests(report({ numPassedTests: 7, numFailedTests: 2, testResults }), false)).toEqual({
    passed: 7,
    failed: 3,
  });
});

test("a run that ended badly with every test passed counts as one failure", () => {
  const file = report({ numPassedTests: 7, numFailedTests: 0, testResults: [] });
  expect(countTests(file, true)).toEqual({ passed: 7, failed: 0 });
  expect(countTests(file, false)).toEqual({ passed: 7, failed: 1 });
});

test("a report that is not there counts as one failure", () => {
  expect(countTests(join(tmpdir(), "no-such-report.json"), true)).toEqual({ passed: 0, failed: 1 });
});

test("a gate is counted by its report if it runs vitest, another one as one, and a skipped one as none", () => {
  const folder = newFolder();
  const scripts = {
    "check:tests": "vitest run",
    "check:silent": "vitest run",
    "check:other": "tsc",
    "check:away": "vitest",
  };
  const gate = (name: string, code: string) => writeFileSync(join(folder, `${name}.code`), `${code}\n`);
  writeFileSync(join(folder, "tests.json"), JSON.stringify({ numPassedTests: 7, numFailedTests: 2, testResults: [] }));
  gate("tests", "1");
  gate("other", "0");
  gate("away", "skipped: java: there is none");
  expect(countGates(folder, false, scripts)).toEqual({ passed: 8, failed: 2 });
  gate("silent", "0");
  gate("other", "2");
  expect(countGates(folder, false, scripts)).toEqual({ passed: 7, failed: 4 });
});

test("a run of gates that was stopped counts as one failure", () => {
  expect(countGates(newFolder(), false, {})).toEqual({ passed: 0, failed: 1 });
  expect(countGates(join(tmpdir(), "no-such-folder"), false, {})).toEqual({ passed: 0, failed: 1 });
});

test.each([
  ["0", "0", 0],
  ["0", "1", 1],
  ["1", "0", 1],
])("as a program it sums up tests that ended with %s and gates with %s, and ends with 1 where one failed", (first, second, failed) => {
  const file = report({ numPassedTests: 7, numFailedTests: 0, testResults: [] });
  const folder = newFolder();
  writeFileSync(join(folder, "types.code"), "0\n");
  const ran = spawnSync(process.execPath, [program, first, file, second, folder], { encoding: "utf8" });
  expect(ran).toMatchObject({ status: failed, stdout: `8 passed, ${failed} failed\n` });
});

function report(content: object): string {
  const folder = newFolder();
  const file = join(folder, "report.json");
  writeFileSync(file, JSON.stringify(content));
  return file;
}
