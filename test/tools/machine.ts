import { afterAll, beforeAll, vi } from "vitest";
import { loadDemo } from "../../infra/local/demo/demo.ts";
import { enterEnvironment } from "../../infra/local/local-aws.ts";
import { type Machine, startMachine } from "../../infra/local/machine.ts";
import { makeMachineDirectory } from "../support/service/machine-directory.ts";

/** Runs a local machine with the demo data for a test file; gives the directory that tools join it by. */
export function useMachine(): string {
  const { path: directory, remove } = makeMachineDirectory();
  let machine: Machine | undefined;
  beforeAll(async () => {
    machine = await startMachine({ directory, port: 0 });
    enterEnvironment(machine.environment);
    await loadDemo();
    machine.demoLoaded();
  });
  afterAll(async () => {
    await machine?.close();
    remove();
  });
  return directory;
}

/** What a tool printed, and its exit code. */
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
