import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A fresh process: the milliseconds of processor time of its start with the first call and of each warm call, and its memory. */
export interface Run {
  readonly start: number;
  readonly warm: number;
  readonly megabytes: number;
}

/** The file that a process is to load, and the number of its calls once it is warm. */
export interface RunRequest {
  readonly file: string;
  readonly event: object;
  readonly environment: Readonly<Record<string, string>>;
  readonly calls: number;
  readonly warmUp: number;
}

const longestMilliseconds = 600_000;

/** The flags with which Lambda starts Node.js in 512 MB of memory. */
const nodeFlags = ["--expose-gc", "--max-semi-space-size=25", "--max-old-space-size=461"];

/** Loads and calls a function in a process of its own. Throws what the process said when it failed. */
export async function run({ file, event, environment, calls, warmUp }: RunRequest): Promise<Run> {
  const child = spawn(process.execPath, [...nodeFlags, join(import.meta.dirname, "runtime.mjs")], {
    env: { ...environment, BENCH: JSON.stringify({ file, event, calls, warmUp }) },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    timeout: longestMilliseconds,
  });
  let [output, failure] = ["", ""];
  child.stdio[3]?.on("data", (text) => {
    output += text;
  });
  child.stderr?.on("data", (text) => {
    failure += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${failure}`);
  return JSON.parse(output) as Run;
}
