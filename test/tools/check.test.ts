import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isAlive } from "../../infra/local/is-alive.ts";
import { type Gate, gates, longGates } from "../../infra/tools/check/gates.ts";
import { check } from "../../infra/tools/check.ts";
import { newFolder } from "../support/service/new-folder.ts";
import { runProgram } from "./machine.ts";

const folder = newFolder();
const textOf = (name: string) => readFileSync(join(folder, name), "utf8");
const { isTTY } = process.stdout;
afterEach(() => {
  process.stdout.isTTY = isTTY;
});

/** A gate by a program of JavaScript. */
function gateOf(name: string, program: string, more: Partial<Gate> = {}): Gate {
  return { name, title: `the gate ${name}`, program: "node", parameters: ["-e", program], ...more };
}

const run = (known: readonly Gate[], parameters: string[] = [], longGates: readonly Gate[] = []) =>
  runProgram(() => check(parameters, { gates: known, longGates }, folder));

/** The begun and ended programs, in their order: each waits until so many have begun. */
function noting(name: string, begun: number): string {
  const file = JSON.stringify(join(folder, "order"));
  return `const fs = require("fs");
    fs.appendFileSync(${file}, "begin ${name}\\n");
    const end = () => fs.readFileSync(${file}, "utf8").split("begin").length > ${begun}
      ? setTimeout(() => fs.appendFileSync(${file}, "end ${name}\\n"), 50) : setTimeout(end, 5);
    end();`;
}

test("two gates run at a time, in their order, and those that must be alone at the end", async () => {
  const alone = { isAlone: true };
  const shared = ["first", "second", "third"].map((name, at) => gateOf(name, noting(name, at < 2 ? 2 : 3)));
  const { code } = await run([
    gateOf("alone", noting("alone", 4), alone),
    ...shared,
    gateOf("last", noting("last", 5), alone),
  ]);
  const lines = textOf("order").trim().split("\n");
  expect(code).toBe(0);
  expect(lines.slice(0, 2).toSorted()).toEqual(["begin first", "begin second"]);
  expect(lines.slice(2, 4)).toEqual([expect.stringMatching(/^end/), expect.anything()]);
  expect(lines.slice(2, 6).toSorted()).toEqual(["begin third", "end first", "end second", "end third"]);
  expect(lines.slice(6)).toEqual(["begin alone", "end alone", "begin last", "end last"]);
});

test("tests of a gate are counted by its report, another program as one, and one that cannot run as none", async () => {
  const report = { numPassedTests: 7, numFailedTests: 2, testResults: [] };
  const vitest = gateOf(
    "tests",
    `fs.writeFileSync(process.env.VITEST_REPORT, process.env.REPORT); process.exitCode = 1`,
    {
      environment: { REPORT: JSON.stringify(report) },
    },
  );
  const skipped = gateOf("skipped", "process.exitCode = 1", { obstacle: async () => "it needs Python" });
  const file = join(folder, "report.json");
  const ended = await run([vitest, gateOf("other", ""), skipped], ["--report", file]);
  expect(ended.code).toBe(1);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ...report, numPassedTests: 8 });
  expect(ended.out).toMatch(/^the gate tests +FAILED +\d+\.\d s$/m);
  expect(ended.out).toMatch(/^the gate other +passed +\d{1,2}\.\d s$/m);
  expect(ended.out).toMatch(/^the gate skipped +skipped: it needs Python$/m);
  // A report of an earlier run does not count.
  expect(await run([gateOf("tests", "")], ["--report", file])).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ numPassedTests: 1, numFailedTests: 0 });
});

test("the output of a gate is kept, and printed under its title where it failed", async () => {
  const fails = gateOf("fails", 'console.log("said"); console.error("complained"); process.exitCode = 3');
  const { out } = await run([gateOf("passes", 'console.log("quiet")'), fails]);
  expect(out).toContain("\nthe gate fails\nsaid\ncomplained\n");
  expect([out.includes("quiet"), textOf("passes.txt"), textOf("fails.txt")]).toEqual([
    false,
    "quiet\n",
    "said\ncomplained\n",
  ]);
  const killed = gateOf("killed", 'process.kill(process.pid, "SIGKILL")');
  expect((await run([killed])).out).toContain("\nthe gate killed\nSIGKILL\n");
  const absent = { ...gateOf("absent", ""), program: "no-such-program" };
  expect(await run([absent])).toMatchObject({ code: 1, out: expect.stringContaining("no-such-program ENOENT") });
});

test("a signal ends what runs, and begins nothing more", async () => {
  const place = (name: string) => JSON.stringify(join(folder, name));
  const waits = gateOf("waits", `fs.writeFileSync(${place("pid")}, String(process.pid)); setInterval(() => {}, 1000)`);
  const ended = run([waits, gateOf("after", `fs.writeFileSync(${place("after")}, "")`, { isAlone: true })]);
  await expect.poll(() => existsSync(join(folder, "pid")) && textOf("pid")).toMatch(/^\d+$/);
  process.emit("SIGTERM");
  expect(await ended).toMatchObject({ code: 130 });
  await expect.poll(() => isAlive(Number(textOf("pid")))).toBe(false);
  expect(existsSync(join(folder, "after"))).toBe(false);
});

test("a terminal shows what is running", async () => {
  expect((await run([gateOf("one", "")])).out).not.toContain("…");
  process.stdout.isTTY = true;
  expect((await run([gateOf("one", "")])).out).toMatch(/^the gate one …\r/);
});

test("the gates that are asked for run: the usual ones, the long ones, or single ones of both", async () => {
  const [usual, other, long] = ["usual", "other", "long"].map((name) => gateOf(name, ""));
  if (!usual || !other || !long) throw new Error("There are three");
  const ran = async (...parameters: string[]) => {
    const { out } = await run([usual, other], parameters, [long]);
    return [...out.matchAll(/^the gate (\w+)/gm)].map(([, name]) => name).toSorted();
  };
  expect(await ran()).toEqual(["other", "usual"]);
  expect(await ran("--long")).toEqual(["long"]);
  expect(await ran("--only", "other", "--only", "long")).toEqual(["long", "other"]);
  expect(await run([usual], ["--only", "usul"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("Did you mean usual?"),
  });
});

test("gates that measure or keep all processors busy run alone; the help names all of them, in columns", async () => {
  const alone = [...gates, ...longGates].filter(({ isAlone }) => isAlone).map(({ name }) => name);
  expect(alone).toEqual(["times", "tests", "plant", "bench-cold", "bench-warm"]);
  const { code, out } = await runProgram(() => check(["--help"]));
  expect(code).toBe(0);
  const longest = "OpenAPI document: linters, generated clients, receivers of events";
  expect(out).toContain(`\n  document    ${longest}  vitest\n`);
  expect(out).toContain(`\n  bench-cold  ${"bench cold".padEnd(longest.length)}  node\n`);
  for (const { name } of [...gates, ...longGates]) expect(out).toContain(`\n  ${name} `);
});
