import { existsSync, readFileSync } from "node:fs";

/** The number of passed and failed tests of a run. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
}

interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

/**
 * The counts in a report of vitest. A failure without a test counts as one: a test file that does not load, a run with
 * an error, a missing report.
 */
export function countTests(file: string, isSuccess: boolean): TestCounts {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const report = JSON.parse(readFileSync(file, "utf8")) as TestReport;
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  const failed = report.numFailedTests + unloaded.length;
  return { passed: report.numPassedTests, failed: isSuccess ? failed : Math.max(failed, 1) };
}

/** The counts of several runs together. */
export function sumCounts(counts: readonly TestCounts[]): TestCounts {
  return counts.reduce((sum, { passed, failed }) => ({ passed: sum.passed + passed, failed: sum.failed + failed }), {
    passed: 0,
    failed: 0,
  });
}

if (import.meta.main) {
  const [testStatus, testReport = "", checkStatus, checkReport = ""] = process.argv.slice(2);
  const { passed, failed } = sumCounts([
    countTests(testReport, testStatus === "0"),
    countTests(checkReport, checkStatus === "0"),
  ]);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}
