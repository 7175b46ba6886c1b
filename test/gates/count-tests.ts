import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

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

/**
 * The counts of the gates that `.ci/gates` has run, by what it kept of each in a folder. A gate that runs vitest has its tests, any
 * other is one, and one that was skipped is none. A run of gates that ended badly without a failed gate counts as one failure.
 */
export function countGates(folder: string, isSuccess: boolean, scripts: Readonly<Record<string, string>>): TestCounts {
  const counts = globSync("*.code", { cwd: folder }).map((file) => {
    const [name, code] = [basename(file, ".code"), readFileSync(join(folder, file), "utf8").trim()];
    if (code.startsWith("skipped: ")) return { passed: 0, failed: 0 };
    const runsTests = /\bvitest\b/.test(scripts[`check:${name}`] ?? "");
    if (runsTests) return countTests(join(folder, `${name}.json`), code === "0");
    return { passed: Number(code === "0"), failed: Number(code !== "0") };
  });
  const { passed, failed } = sumCounts(counts);
  return { passed, failed: isSuccess ? failed : Math.max(failed, 1) };
}

function sumCounts(counts: readonly TestCounts[]): TestCounts {
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
  };
}

if (import.meta.main) {
  const [testStatus, testReport = "", gateStatus, gateFolder = ""] = process.argv.slice(2);
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const { passed, failed } = sumCounts([
    countTests(testReport, testStatus === "0"),
    countGates(gateFolder, gateStatus === "0", scripts),
  ]);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}
