import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join, relative } from "node:path";

/** The end of a run of tests. */
export interface TestRun {
  readonly isGreen: boolean;
  /** The test files that failed. None of a red run, if it ended before a test did. */
  readonly failed: readonly string[];
}

/** Runs these test files of a tree up to the first failure, or all that `npm test` runs if none is named. */
export type RunTests = (tree: string, files: readonly string[], signal: AbortSignal) => Promise<TestRun>;

/** A fault may make a loop endless. Twelve files take half a minute, all of them three, and several times that on a busy machine. */
const longestMs = { some: 150_000, all: 3_600_000 };

/** Runs the tests by vitest. */
export const runVitest: RunTests = async (tree, files, signal) => {
  const report = join(tree, ".local/plant-report.json");
  rmSync(report, { force: true });
  const [longest, bail] = files.length > 0 ? [longestMs.some, ["--bail=1"]] : [longestMs.all, []];
  const options = ["--project=!programs", "--project=!times", "--passWithNoTests", ...bail];
  const bin = join(tree, "node_modules/.bin");
  const run = spawn(join(bin, "vitest"), ["run", ...options, ...files], {
    cwd: tree,
    // Without npm, another Node may come first.
    env: { ...process.env, PATH: [bin, process.env.PATH].join(delimiter), VITEST_REPORT: report, NO_COLOR: "1" },
    stdio: "ignore",
    // A group of its own ends as a whole: workers and engines too.
    detached: true,
  });
  const patience = AbortSignal.timeout(longest);
  const end = () => run.pid && run.exitCode === null && process.kill(-run.pid, "SIGKILL");
  AbortSignal.any([signal, patience]).addEventListener("abort", end);
  await once(run, "exit");
  signal.throwIfAborted();
  // A run that was ended or could not begin may have left a part of its report, or an empty one.
  const said = existsSync(report) ? readFileSync(report, "utf8") : "";
  const results: { name: string; status: string }[] = said.endsWith("}") ? JSON.parse(said).testResults : [];
  const failed = results.filter(({ status }) => status === "failed").map(({ name }) => relative(tree, name));
  return { isGreen: run.exitCode === 0, failed };
};
