import { spawn } from "node:child_process";
import { once } from "node:events";
import { root } from "../../../infra/support/root.ts";

export { root };

export interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a command of the project, such as `recount`. */
export function runTool(name: string, ...options: readonly string[]): Promise<ProgramResult> {
  return runProgram(process.execPath, [`infra/tools/${name}.ts`, ...options], process.env, 60_000);
}

/** Runs a program to its end, in the project's folder; ends it after so many milliseconds. */
export async function runProgram(
  file: string,
  parameters: readonly string[],
  env: NodeJS.ProcessEnv,
  timeout: number,
): Promise<ProgramResult> {
  const child = spawn(file, parameters, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], timeout });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, "close");
  return { code, output: child.signalCode ? `${output}\nEnded by ${child.signalCode} after ${timeout} ms` : output };
}
