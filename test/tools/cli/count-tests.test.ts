import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countTests } from "../../../infra/tools/cli/count-tests.ts";
import { newFolder } from "../../support/service/new-folder.ts";

const program = join(import.meta.dirname, "../../../infra/tools/cli/count-tests.ts");

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

test.each([
  ["0", "0", 0],
  ["0", "1", 1],
  ["1", "0", 1],
])("as a program it sums up two runs that ended with %s and %s, and ends with 1 where one failed", (first, second, failed) => {
  const file = report({ numPassedTests: 7, numFailedTests: 0, testResults: [] });
  const ran = spawnSync(process.execPath, [program, first, file, second, file], { encoding: "utf8" });
  expect(ran).toMatchObject({ status: failed, stdout: `14 passed, ${failed} failed\n` });
});

function report(content: object): string {
  const folder = newFolder();
  const file = join(folder, "report.json");
  writeFileSync(file, JSON.stringify(content));
  return file;
}
