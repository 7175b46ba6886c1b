import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { writeJsonFile } from "../local/json-file.ts";
import { root } from "../local/stack/synthesis.ts";
import { type Gate, gates, longGates } from "./check/gates.ts";
import { abortOnSignals, flag, readArguments, runCommand, StoppedError, text, unknownWord } from "./cli/command.ts";
import { countTests, sumCounts, type TestCounts } from "./cli/count-tests.ts";

const help = `npm run check [-- --only GATE] [--report FILE]

Runs every gate, and prints the output of those that fail; all of it is kept in .local/check. Gates run two at a time. Ends
with 1 when one failed, 130 when it was stopped.

${gates.map(lineOf).join("\n")}

npm run check:long

${longGates.map(lineOf).join("\n")}

  --long         run the gates of check:long instead
  --only GATE    run only this gate; may be given several times
  --report FILE  write how many passed and failed, in the form of vitest's JSON report
`;

if (import.meta.main) await runCommand((parameters) => check(parameters));

/** Runs the command, keeps the output of gates in the folder and returns its exit code. */
export async function check(parameters: string[], known = { gates, longGates }, folder = join(root, ".local/check")) {
  const options = { long: flag, only: { ...text, multiple: true }, report: text } as const;
  const { values } = readArguments("check", help, { args: parameters, options });
  const find = (name: string) => findGate(name, [...known.gates, ...known.longGates]);
  const chosen = values.only?.map(find) ?? (values.long ? known.longGates : known.gates);
  using stopping = abortOnSignals();
  const results = await runAll(chosen, folder, stopping.signal);
  for (const { gate, output } of results) if (output) process.stdout.write(`\n${gate.title}\n${output}\n`);
  const { passed, failed } = sumCounts(results.map(({ counts }) => counts));
  const report = { numPassedTests: passed, numFailedTests: failed, testResults: [] };
  if (values.report) writeJsonFile(values.report, report);
  return failed > 0 ? 1 : 0;
}

function findGate(name: string, known: readonly Gate[]): Gate {
  const gate = known.find((each) => each.name === name);
  if (gate) return gate;
  const names = known.map((each) => each.name);
  throw unknownWord("gate", name, names);
}

/** Two gates side by side, in their order. The gates that must run alone follow one by one. A signal ends those that run, and all. */
async function runAll(chosen: readonly Gate[], folder: string, signal: AbortSignal): Promise<GateResult[]> {
  const shared = chosen.filter(({ isAlone }) => !isAlone).values();
  const results: GateResult[] = [];
  const runInTurn = async (waiting: Iterable<Gate>) => {
    for (const gate of waiting) {
      results.push(await runAloud(gate, folder, signal));
      if (signal.aborted) throw new StoppedError("Stopped.");
    }
  };
  await Promise.all([runInTurn(shared), runInTurn(shared)]);
  await runInTurn(chosen.filter(({ isAlone }) => isAlone));
  return results;
}

async function runAloud(gate: Gate, folder: string, signal: AbortSignal): Promise<GateResult> {
  const isTerminal = process.stdout.isTTY;
  if (isTerminal) process.stdout.write(`${gate.title} …\r`);
  const result = await runGate(gate, folder, signal);
  process.stdout.write(`${gate.title.padEnd(widthOf("title"))}  ${result.verdict}\n`);
  return result;
}

function lineOf({ name, title, program }: Gate): string {
  return `  ${name.padEnd(widthOf("name"))}  ${title.padEnd(widthOf("title"))}  ${program}`;
}

function widthOf(column: "name" | "title"): number {
  return Math.max(...[...gates, ...longGates].map((gate) => gate[column].length));
}

interface GateResult {
  readonly gate: Gate;
  readonly counts: TestCounts;
  readonly verdict: string;
  readonly output: string;
}

/** Runs a gate. vitest writes a report; any other program counts as one test. The output is kept beside the report. */
async function runGate(gate: Gate, folder: string, signal: AbortSignal): Promise<GateResult> {
  const obstacle = await gate.obstacle?.();
  if (obstacle) return { gate, counts: { passed: 0, failed: 0 }, verdict: `skipped: ${obstacle}`, output: "" };
  const began = performance.now();
  const report = join(folder, `${gate.name}.json`);
  const log = join(folder, `${gate.name}.txt`);
  rmSync(report, { force: true });
  mkdirSync(folder, { recursive: true });
  const isSuccess = await runProgram(gate, { report, log, signal });
  const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
  const own = { passed: Number(isSuccess), failed: Number(!isSuccess) };
  return {
    gate,
    counts: existsSync(report) ? countTests(report, isSuccess) : own,
    verdict: `${isSuccess ? "passed" : "FAILED"} ${seconds} s`,
    output: isSuccess ? "" : readFileSync(log, "utf8"),
  };
}

async function runProgram(
  { program, parameters, environment }: Gate,
  { report, log, signal }: { report: string; log: string; signal: AbortSignal },
): Promise<boolean> {
  const path = `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}`;
  // A program of a gate is compiled once for all runs.
  const own = { NO_COLOR: "1", PATH: path, NODE_COMPILE_CACHE: join(root, ".local/compile-cache") };
  const output = openSync(log, "w");
  const child = spawn(program, parameters, {
    cwd: root,
    env: { ...process.env, ...own, VITEST_REPORT: report, ...environment },
    stdio: ["ignore", output, output],
    signal,
  });
  const [code, ended] = await once(child, "close").catch((error: Error) => [error.message]);
  closeSync(output);
  if (typeof code !== "number") appendFileSync(log, `${code ?? ended}\n`);
  return code === 0;
}
