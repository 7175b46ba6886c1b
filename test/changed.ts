import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { root } from "../infra/support/root.ts";
import { readArguments, runCommand } from "../infra/tools/cli/command.ts";
import { readers } from "./readers.ts";

const help = `npm run test:changed [-- --since REF]

Runs the tests of what has changed: those that import a changed file, those of what reads it by its path, and those that
read every file.

  --since REF  changed since that commit or branch; by default since the last commit
  --help       show this
`;

/** The files that change every test. */
const everything = /^(package-lock\.json|tsconfig\.json|vitest\.config\.ts|test\/support\/service\/.*)$/;
const readEveryFile = "test/system/conventions/*.test.ts";

await runCommand(testChanged);

function testChanged(parameters: string[]): number {
  const call = readArguments("test:changed", help, { args: parameters, options: { since: { type: "string" } } });
  const changed = changedFiles(call.values.since ?? "HEAD");
  const read = readers.flatMap(([files, by]) => (changed.some((file) => files.test(file)) ? by : []));
  const related = [...changed, ...read, ...globSync(readEveryFile, { cwd: root })];
  const selection = changed.some((file) => everything.test(file)) ? ["run"] : ["related", ...related, "--run"];
  const vitest = join(root, "node_modules/.bin/vitest");
  return spawnSync(vitest, selection, { cwd: root, stdio: "inherit" }).status ?? 1;
}

/** The files that differ from a commit, and those that git does not know yet. Throws git's words where there is none. */
function changedFiles(since: string): string[] {
  const listed = [
    ["diff", "--name-only", "--relative", since],
    ["ls-files", "--others", "--exclude-standard"],
  ].map((command) => {
    const { status, stdout, stderr } = spawnSync("git", command, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr.trim());
    return stdout.split("\n");
  });
  return listed.flat().filter((file) => file !== "");
}
