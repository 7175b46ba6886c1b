import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../infra/support/root.ts";
import { newFolder } from "../support/service/new-folder.ts";

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** A checkout whose scripts are these programs of JavaScript. */
function checkoutOf(programs: Readonly<Record<string, string>>) {
  const folder = newFolder();
  const names = Object.keys(programs);
  mkdirSync(join(folder, ".ci"));
  cpSync(join(root, ".ci/gates"), join(folder, ".ci/gates"));
  for (const [name, program] of Object.entries(programs)) writeFileSync(join(folder, `${name}.cjs`), program);
  const own = Object.fromEntries(names.map((name) => [`check:${name}`, `node ${name}.cjs`]));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: own }));
  const textOf = (file: string) => readFileSync(join(folder, file), "utf8");
  const run = (...parameters: string[]): SpawnSyncReturns<string> =>
    spawnSync(join(folder, ".ci/gates"), parameters, { encoding: "utf8" });
  return { folder, textOf, run };
}

test("output and exit code of a gate are kept; the output is printed under its name where it failed", () => {
  const { run, textOf } = checkoutOf({
    passes: 'console.log("quiet\\nSEED=17"); require("fs").writeFileSync(process.env.VITEST_REPORT, "{}")',
    fails: 'console.log("said"); console.error("complained"); process.exitCode = 3',
    killed: 'process.kill(process.pid, "SIGKILL")',
    skips: 'console.log("tried\\nskipped: java: there is none")',
    lies: 'console.log("skipped: it fails"); process.exitCode = 1',
  });
  const { status, stdout } = run(...["passes", "fails", "killed", "skips", "lies"].map((name) => `check:${name}`));
  expect(status).toBe(1);
  expect(stdout).toMatch(/^check:passes +\d s {2}passed {2}SEED=17$/m);
  expect(stdout).toMatch(/^check:skips +\d s {2}skipped: java: there is none *$/m);
  for (const [name, code] of [["fails", 3] as const, ["killed", 137] as const, ["lies", 1] as const])
    expect(stdout).toMatch(new RegExp(`^check:${name} +\\d s {2}FAILED with ${code} *$`, "m"));
  expect(stdout).toContain("\ncheck:fails\nsaid\ncomplained\n");
  expect(stdout).not.toContain("quiet");
  const kept = (file: string) => textOf(`.local/check/${file}`);
  expect([kept("passes.txt"), kept("passes.json"), kept("passes.code")]).toEqual(["quiet\nSEED=17\n", "{}", "0\n"]);
  expect([kept("skips.code"), kept("fails.code"), kept("lies.code")]).toEqual([
    "skipped: java: there is none\n",
    "3\n",
    "1\n",
  ]);
  expect(run("check:skips").status).toBe(0);
});

test("a gate that failed is a failure although another run beside it passes and keeps the same files", () => {
  const { run } = checkoutOf({
    overwritten: "process.exitCode = 3",
    passes: 'require("fs").writeFileSync(".local/check/overwritten.code", "0\\n")',
  });
  expect(run("check:overwritten", "--", "check:passes").status).toBe(1);
});

test("nothing runs where a gate is no script", () => {
  const { folder, run } = checkoutOf({ passes: "" });
  expect(run("check:passes", "passes")).toMatchObject({
    status: 2,
    stdout: "",
    stderr: "package.json has no script passes.\n",
  });
  expect(existsSync(join(folder, ".local"))).toBe(false);
});

test("every gate is a script of one list at least, and what measures or keeps all processors busy runs alone", () => {
  const lists = [scripts.check, scripts["check:quick"], scripts["check:long"]].map((each) => String(each).split(" "));
  const named = new Set(lists.flatMap((each) => each.filter((word) => word.startsWith("check:"))));
  const own = Object.keys(scripts).filter((name) => /^check:(?!quick|long)/.test(name));
  expect([...named].toSorted()).toEqual(own.toSorted());
  const alone = lists.flatMap((each) => (each.includes("--") ? each.slice(each.indexOf("--") + 1) : []));
  expect(alone).toEqual(["check:times", "check:full", "check:bench"]);
});
