import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../../infra/local/loopback-port.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const readyWithinMs = 90_000;

/** A machine as `npm start` runs it, in a process of its own. */
export interface StartedMachine {
  readonly baseUrl: string;
  /** Everything it has printed. */
  output(): string;
  /** The bearer token it printed for the first user of that role. */
  tokenOf(role: string): string;
  /** Ends it as Ctrl-C does and gives its exit code. */
  interrupt(): Promise<number | null>;
}

/** What another command did. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty folder that stands in for `.local`. */
export function makeDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "workforce-machine-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts the machine of a folder on a free port and waits until it says that it is ready. */
export async function startLocalMachine(directory: string, parameters: string[] = []): Promise<StartedMachine> {
  const port = await findFreePort(0);
  const child = run("infra/local/start.ts", parameters, directory, { PORT: String(port) });
  let printed = "";
  const isReady = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Not ready in time: ${printed}`)), readyWithinMs);
    const read = (text: string) => {
      printed += text;
      if (printed.includes("Inbox ")) resolve(clearTimeout(timer));
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", read);
    child.once("exit", () => reject(new Error(`Ended before it was ready: ${printed}`)));
  });
  await isReady;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    output: () => printed,
    tokenOf(role) {
      const [, token] = new RegExp(`^  ${role}[^\\n]*\\n  (\\S+)`, "m").exec(printed) ?? [];
      if (!token) throw new Error(`The machine printed no token for a user of the role ${role}`);
      return token;
    },
    async interrupt() {
      const exited = once(child, "exit");
      child.kill("SIGINT");
      const [code] = await exited;
      return code;
    },
  };
}

/** Runs a command of the project to its end. */
export async function runTool(
  file: string,
  parameters: string[],
  directory: string,
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const child = run(file, parameters, directory, environment);
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, "close");
  return { code, stdout, stderr };
}

function run(file: string, parameters: string[], directory: string, environment = {}): ChildProcess {
  // The settings of the test's own table must not reach the process.
  const { PATH = "", HOME = "", DYNAMODB_ENGINE } = process.env;
  const env = {
    PATH,
    HOME,
    ...(DYNAMODB_ENGINE && { DYNAMODB_ENGINE }),
    WORKFORCE_DIRECTORY: directory,
    ...environment,
  };
  return spawn(process.execPath, [join(root, file), ...parameters], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}
