import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "../../local/stack/synthesis.ts";
import { countTests, type TestCounts } from "../cli/count-tests.ts";
import type { Gate } from "./gates.ts";

/** The result of a gate: a word for it, and its program's whole output. */
export interface GateResult {
  readonly gate: Gate;
  readonly counts: TestCounts;
  readonly verdict: string;
  readonly output: string;
}

const folder = join(root, ".local/check");

/** Runs a gate. vitest writes a report; any other program counts as one test. The output is kept beside the report. */
export async function runGate(gate: Gate): Promise<GateResult> {
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
  const child = spawn(program, parameters, {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", PATH: path, VITEST_REPORT: report, ...environment },
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
