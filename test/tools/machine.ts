import { afterAll, beforeAll, expect, vi } from "vitest";
import { enterEnvironment } from "../../infra/local/local-aws.ts";
import { type Machine, startMachine } from "../../infra/local/machine.ts";
import { runCommand, UsageError } from "../../infra/tools/cli/command.ts";
import { copyDemo } from "../support/service/demo-machine.ts";
import { makeDirectory } from "../support/service/local-machine.ts";

/** A machine that goes on after its file gave up would call the table beside the next file's tests. */
const mostStartMs = 240_000;

/** Runs a local machine with the demo data for a test file; gives the directory that tools join it by. */
export function useMachine(): string {
  const { path: directory, remove } = makeDirectory();
  let machine: Machine | undefined;
  beforeAll(async () => {
    await copyDemo(directory);
    machine = await startMachine({ directory, port: 0 });
    enterEnvironment(machine.environment);
  }, mostStartMs);
  afterAll(async () => {
    await machine?.close();
    remove();
  });
  return directory;
}

/** The output of a tool, and its exit code. */
export interface ToolRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a tool in this process and takes what it prints. */
export async function runTool(tool: () => Promise<number>): Promise<ToolRun> {
  const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const err = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const code = await tool();
    const text = (spy: typeof out) => spy.mock.calls.map(([chunk]) => String(chunk)).join("");
    return { code, out: text(out), err: text(err) };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

/** Expects that a call is a mistake, and that it says so. */
export async function expectMistake(call: Promise<unknown>, said: string | RegExp): Promise<void> {
  await expect(call).rejects.toThrow(UsageError);
  await expect(call).rejects.toThrow(said);
}

/**
 * Runs a tool in this process as its program runs it: a mistake is printed, and is an exit code. To start a program takes as long
 * as ten such calls.
 */
export async function runProgram(tool: () => Promise<number> | number): Promise<ToolRun> {
  const { exitCode } = process;
  return runTool(async () => {
    await runCommand(tool);
    return Number(process.exitCode);
  }).finally(() => {
    process.exitCode = exitCode;
  });
}
