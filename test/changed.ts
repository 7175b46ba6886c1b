import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { startVitest, type TestSpecification } from "vitest/node";
import { root } from "../infra/support/root.ts";
import { readArguments, runCommand } from "../infra/tools/cli/command.ts";

const help = `npm run test:changed [-- --since REF]

Runs the tests of what has changed: those that import a changed file, those of what reads it by its path, and those that
read every file. Says first how many files of tests these are, and why.

  --since REF  changed since that commit or branch; by default since the last commit
  --help       show this
`;

/** The files that change every test. */
const everything = /^(package-lock\.json|tsconfig\.json|vitest\.config\.ts|test\/support\/service\/.*)$/;
const readEveryFile = "test/system/conventions/*.test.ts";
/** Tests and helpers that read files by their paths: if one of these files changes, they may behave in another way. */
const readers: readonly (readonly [files: RegExp, readers: string])[] = [
  [/^(infra\/[^/]+\.ts|infra\/(constructs|functions|stages)\/.*|cdk\.json)$/, "test/infra/stack.ts"],
  [/^infra\/(local|runtime)\//, "test/support/service/local-machine.ts"],
  [/^infra\/tools\//, "test/system/programs/{deployed-service,invoke-alone,start}.test.ts"],
  [/^events\//, "test/support/requests/every-operation.ts"],
];

await runCommand(testChanged);

async function testChanged(parameters: string[]): Promise<number> {
  const call = readArguments("test:changed", help, { args: parameters, options: { since: { type: "string" } } });
  const changed = changedFiles(call.values.since ?? "HEAD");
  const ofAll = changed.filter((file) => everything.test(file));
  const read = readers.flatMap(([files, by]) => {
    const found = changed.filter((file) => files.test(file));
    return found.length > 0 ? [{ found, by }] : [];
  });
  const reasons =
    ofAll.length > 0
      ? [`every test depends on ${listed(ofAll)}`]
      : [
          ...(changed.length > 0 ? [`they are or import ${listed(changed)}`] : []),
          ...read.map(({ found, by }) => `they are or import ${by}, which reads ${listed(found)} by its path`),
          `they read every file (${readEveryFile})`,
        ];
  const onTestRunStart = (files: readonly TestSpecification[]) =>
    void process.stdout.write(`${[`${files.length} files of tests, because`, ...reasons].join("\n  ")}\n`);
  const related = [...changed, ...globSync([...read.map(({ by }) => by), readEveryFile], { cwd: root })];
  await startVitest("test", [], {
    run: true,
    related: ofAll.length > 0 ? undefined : related.map((file) => join(root, file)),
    reporters: [{ onTestRunStart }, "default"],
  });
  return Number(process.exitCode ?? 0);
}

/** Some names, for a line. */
function listed(files: readonly string[]): string {
  const most = 5;
  const more = files.length > most ? ` and ${files.length - most} more` : "";
  return `${files.slice(0, most).join(", ")}${more}`;
}

/** The files that differ from a commit, and those that git does not know yet. Throws git's words where there is none. */
function changedFiles(since: string): string[] {
  const found = [
    ["diff", "--name-only", "--relative", since],
    ["ls-files", "--others", "--exclude-standard"],
  ].map((command) => {
    const { status, stdout, stderr } = spawnSync("git", command, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr.trim());
    return stdout.split("\n");
  });
  return found.flat().filter((file) => file !== "");
}
