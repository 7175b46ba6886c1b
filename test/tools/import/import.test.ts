import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runImport } from "../../../infra/tools/import.ts";
import { invoiceLine, jobLine } from "../../support/records/records.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { runProgram, useMachine } from "../machine.ts";

const tool = join(import.meta.dirname, "../../../infra/tools/import.ts");
const machine = useMachine();
const folder = newFolder();

const run = (...parameters: string[]) => runProgram(() => runImport(parameters, machine));

/** The same as a program, whose standard input is what the test writes. */
function start(...parameters: string[]) {
  const child = spawn(process.execPath, [tool, ...parameters], {
    cwd: folder,
    env: { ...process.env, WORKFORCE_DIRECTORY: machine },
  });
  let out = "";
  child.stdout.on("data", (text) => {
    out += text;
  });
  const ended = once(child, "close").then(([code]) => ({ code: Number(code), out }));
  return { child, ended };
}

function inFolder(name: string): string {
  return join(folder, name);
}

async function importFile(name: string, lines: readonly (object | string)[], ...parameters: string[]) {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  writeFileSync(inFolder(name), text);
  return run(inFolder(name), ...parameters);
}

test("a file that is all good ends with 0, in plain lines, and leaves no error report", async () => {
  const listeners = process.listenerCount("SIGINT");
  const began = performance.now();
  const run = await importFile("good.jsonl", [jobLine(9_001, 1), jobLine(9_002, 1)]);
  // On a busy computer it takes seconds, after which a command says how far it is.
  const progress = /^(?:\d+% )?line \d+\n/gm;
  expect({ code: run.code, err: run.err.replaceAll(progress, "") }).toEqual({ code: 0, err: "" });
  expect(process.listenerCount("SIGINT")).toBe(listeners);
  expect(run.out).toMatch(
    /^2 created, 0 updated, 0 unchanged, 0 removed, 0 stale, 0 failed \(2 records in [\d.]+ s, \d+ a second\)\n$/,
  );
  // The import took no longer than this test.
  const leastRate = Math.floor(2_000 / (performance.now() - began));
  expect(Number(/\d+(?= a second)/.exec(run.out)?.[0])).toBeGreaterThanOrEqual(leastRate);
  expect(existsSync(inFolder("good.jsonl.errors.jsonl"))).toBe(false);
});

test("bad lines end with 1: the first 20 on the screen, all in the report, which goes when all is well", async () => {
  const report = inFolder("bad.jsonl.errors.jsonl");
  const bad = Array.from({ length: 30 }, () => invoiceLine(9_100, 1, { state: "void" }));
  const { code, out, err } = await importFile("bad.jsonl", [...bad, "garbage", jobLine(9_101, 1)]);
  expect(code).toBe(1);
  expect(out).toContain("1 created");
  expect(out).toContain("31 failed");
  expect(err.split("\n")[0]).toBe("line 1 (id 9100): state void: not_allowed — must be one of pending, paid, overdue");
  expect(err.match(/^line /gm)).toHaveLength(20);
  expect(err).toContain(`and 11 more errors; all errors are in ${report}`);
  expect((statSync(report).mode & 0o777).toString(8)).toBe("600");
  const errors = readFileSync(report, "utf8").trim().split("\n");
  expect(JSON.parse(errors[30] ?? "")).toEqual({ line: 31, field: "", code: "malformed_json", detail: "is not JSON" });
  expect((await importFile("bad.jsonl", bad.slice(0, 20))).err).not.toContain("more errors");
  await importFile("bad.jsonl", [jobLine(9_101, 1)]);
  expect(existsSync(report)).toBe(false);
});

test("a field name cannot move the cursor, nor fill the screen", async () => {
  const long = JSON.stringify({ type: "job", id: 1, ["x".repeat(101)]: 1 });
  const { code, err } = await importFile("odd.jsonl", ['{"type":"job","id":1,"\\u001b[2J":1}', long]);
  expect(code).toBe(1);
  expect(err).toMatch(/^line 1 \(id 1\): \\u001b\[2J: unknown_field — .*\nline 2 \(id 1\): x{100}: unknown_field — /);
});

test("--dry-run reads standard input and writes nothing", async () => {
  const { child, ended } = start("-", "--dry-run");
  child.stdin.end(JSON.stringify(jobLine(9_200, 1)));
  expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining("1 created") });
  const importIt = (...parameters: string[]) => importFile("dry.jsonl", [jobLine(9_200, 1)], ...parameters);
  expect(await importIt()).toMatchObject({ code: 0, out: expect.stringContaining("1 created") });
  expect(await importIt("--dry-run")).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Dry run, nothing written: 0 created, 0 updated, 1 unchanged, .*\n$/),
  });
});

test("--dry-run of a table shows the first record that is read, and a real run none", async () => {
  writeFileSync(
    inFolder("map.json"),
    '{"columns": {"Nr": "id", "Betrag": "total"}, "decimals": ",", "separator": ";"}',
  );
  const table = "Nr;Betrag\n9201;-5.00\n9202;-1.250,50\n9203;7,00\n";
  const map = ["--csv", "invoice", "--map", inFolder("map.json")];
  const dry = await importFile("erp.csv", [table], ...map, "--dry-run");
  expect(dry.out).toMatch(/3 failed .*\nThe first record: {"id":9202,"total":"-1250.50","type":"invoice"}\n$/);
  expect(dry.err).toMatch(/line 2 \(id 9201\): total: \w+ — must be a decimal number/);
  expect((await importFile("erp.csv", [table], ...map)).out).not.toContain("9202");
});

test.each<[string, string[], string]>([
  ["an unknown flag", [inFolder("good.jsonl"), "--fast"], "--fast"],
  ["no file", [], "Name one file"],
  ["a table without a type", ["a.csv"], "a.csv looks like a table: --csv TYPE"],
  ["a map without a type", ["a.csv", "--map", "map.json"], "--map goes with --csv TYPE"],
  ["a map that is not there", ["a.csv", "--csv", "invoice", "--map", "none.json"], "Cannot read the map none.json"],
  ["two files", ["a", "b"], "Name one file"],
  ["a file that is not there", [inFolder("none.jsonl")], `Cannot read ${inFolder("none.jsonl")}`],
  ["a folder", [folder], `Cannot read ${folder}`],
  ["an invalid --from", [inFolder("good.jsonl"), "--from", "0"], "--from"],
])("%s ends with 2 and one clear line", async (_, parameters, said) => {
  const { code, out, err } = await run(...parameters);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(said);
  expect(err.trim().split("\n")).toHaveLength(1);
});

test("a column that the type does not have ends with 2, and no line to go on from", async () => {
  const { code, err } = await importFile("wrong.csv", ["id,totl\n1,2"], "--csv", "invoice");
  expect([code, err]).toEqual([2, expect.stringContaining("Did you mean total?")]);
  expect(err).not.toContain("Stopped");
});

test.each([[[]], [["--csv", "invoice"]]])("a file without bytes ends with 2 (%j)", async (parameters) => {
  writeFileSync(inFolder("empty.jsonl"), "");
  const { code, out, err } = await run(inFolder("empty.jsonl"), ...parameters);
  expect([code, out, err]).toEqual([2, "", expect.stringMatching(/has no bytes|is empty/)]);
});

test("Ctrl-C ends at once with 130, says how far it came and that repeating is safe", async () => {
  const { child, ended } = start("-");
  child.stdin.write(`${JSON.stringify(jobLine(9_300, 1))}\n{"type":"job","id":1,"x":1}\n`);
  await once(child.stderr, "data");
  child.kill("SIGINT");
  const { code, out } = await ended;
  expect(code).toBe(130);
  expect(out).toContain("Stopped: lines 1 to 2 are done. Importing the file again is safe. To go on: --from 3\n");
});
