import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { writeJsonFile } from "../local/json-file.ts";
import { root } from "../local/stack/synthesis.ts";
import { type Gate, gates, longGates } from "./check/gates.ts";
import { readArguments, runCommand, unknownWord } from "./cli/command.ts";
import { countTests, sumCounts, type TestCounts } from "./cli/count-tests.ts";

const everyGate = [...gates, ...longGates];

const help = `npm run check [-- --only GATE] [--report FILE]

Runs every gate, and prints the output of those that fail; all of it is kept in .local/check. Gates run two at a time. Ends
with 1 when one failed.

${gates.map(lineOf).join("\n")}

npm run check:long

${longGates.map(lineOf).join("\n")}

  --long         run the gates of check:long instead
  --only GATE    run only this gate; may be given several times
  --report FILE  write how many passed and failed, in the form of vitest's JSON report
`;

const folder = join(root, ".local/check");

await runCommand(check);

async function check(parameters: string[]): Promise<number> {
  const options = {
    long: { type: "boolean" },
    only: { type: "string", multiple: true },
    report: { type: "string" },
  } as const;
  const call = readArguments("check", help, { args: parameters, options });
  const { values } = call;
  const chosen = values.only?.map(findGate) ?? (values.long ? longGates : gates);
  const results = await runAll(chosen);
  for (const { gate, output } of results) if (output) process.stdout.write(`\n${gate.title}\n${output}\n`);
  const { passed, failed } = sumCounts(results.map(({ counts }) => counts));
  const report = { numPassedTests: passed, numFailedTests: failed, testResults: [] };
  if (values.report) writeJsonFile(values.report, report);
  return failed > 0 ? 1 : 0;
}

function findGate(name: string): Gate {
  const gate = everyGate.find((each) => each.name === name);
  if (gate) return gate;
  const names = everyGate.map((each) => each.name);
  throw unknownWord("gate", name, names);
}

/** Two gates side by side, in their order. The gates that must run alone follow one by one. */
async function runAll(chosen: readonly Gate[]): Promise<GateResult[]> {
  const shared = chosen.filter(({ isAlone }) => !isAlone).values();
  const results: GateResult[] = [];
  const runInTurn = async (waiting: Iterable<Gate>) => {
    for (const gate of waiting) results.push(await runAloud(gate));
  };
  await Promise.all([runInTurn(shared), runInTurn(shared)]);
  await runInTurn(chosen.filter(({ isAlone }) => isAlone));
  return results;
}

async function runAloud(gate: Gate): Promise<GateResult> {
  const isTerminal = process.stdout.isTTY;
  if (isTerminal) process.stdout.write(`${gate.title} …\r`);
  const result = await runGate(gate);
  process.stdout.write(`${gate.title.padEnd(widthOf("title"))}  ${result.verdict}\n`);
  return result;
}

function lineOf({ name, title, program }: Gate): string {
  return `  ${name.padEnd(widthOf("name"))}  ${title.padEnd(widthOf("title"))}  ${program}`;
}

function widthOf(column: "name" | "title"): number {
  return Math.max(...everyGate.map((gate) => gate[column].length));
}

interface GateResult {
  readonly gate: Gate;
  readonly counts: TestCounts;
  readonly verdict: string;
  readonly output: string;
}

/** Runs a gate. vitest writes a report; any other program counts as one test. The output is kept beside the report. */
async function runGate(gate: Gate): Promise<GateResult> {
  const obstacle = await gate.obstacle?.();
  if (obstacle) return { gate, counts: { passed: 0, failed: 0 }, verdict: `skipped: ${obstacle}`, output: "" };
  const began = performance.now();
  const report = join(folder, `${gate.name}.json`);
  rmSync(report, { force: true });
  const { isSuccess, output } = await runProgram(gate, report);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${gate.name}.txt`), output);
  const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
  const own = { passed: Number(isSuccess), failed: Number(!isSuccess) };
  return {
    gate,
    counts: gate.program === "vitest" ? countTests(report, isSuccess) : own,
    verdict: `${isSuccess ? "passed" : "FAILED"} ${seconds} s`,
    output: isSuccess ? "" : output,
  };
}

async function runProgram({ program, parameters, environment }: Gate, report: string) {
  const path = `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}`;
  // A program of a gate is compiled once for all runs.
  const own = { NO_COLOR: "1", PATH: path, NODE_COMPILE_CACHE: join(root, ".local/compile-cache") };
  const child = spawn(program, parameters, {
    cwd: root,
    env: { ...process.env, ...own, VITEST_REPORT: report, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, "close").catch((error: Error) => [error.message]);
  return { isSuccess: code === 0, output: code === 0 || typeof code === "number" ? output : `${code}\n${output}` };
}
