import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../../infra/runtime/http-service.ts";
import { makeTemporaryFolder, type TemporaryFolder } from "../../../infra/support/temporary-folder.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const readyWithinMs = 90_000;

/** A machine as `npm start` runs it, in a process of its own. */
export interface StartedMachine {
  readonly baseUrl: string;
  /** Everything it has printed. */
  output(): string;
  /** The login it printed for the first user of that role. */
  loginOf(role: string): string;
  /** A bearer token for that user, as the command that it printed gives one. */
  tokenOf(role: string): Promise<string>;
  /** Its exit code, once it has ended. */
  ended(): Promise<number | null>;
  /** Ends it as Ctrl-C does and gives its exit code; safe to call again. */
  interrupt(): Promise<number | null>;
}

/** The result of another command. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty folder that stands in for `.local`. */
export function makeDirectory(): TemporaryFolder {
  return makeTemporaryFolder("data");
}

/** Starts the machine of a folder on a free port, from this checkout or a copy, and waits until it says that it is ready. */
export async function startLocalMachine(
  directory: string,
  parameters: string[] = [],
  checkout = root,
): Promise<StartedMachine> {
  const port = await findFreePort(0);
  // As a script of npm it ends with its parent: the worker of the test may be killed.
  const environment = { PORT: String(port), npm_lifecycle_event: "start" };
  const child = run(join(checkout, "infra/local/start.ts"), parameters, directory, environment);
  const output = await untilReady(child);
  const tokens = new Map<string, Promise<string>>();
  const exited = once(child, "exit").then(([code]) => code);
  const loginOf = (role: string) => {
    const [, login] = new RegExp(`^${role}\\b.*?(\\S+@\\S+)`, "m").exec(output()) ?? [];
    if (!login) throw new Error(`The machine printed no user of the role ${role}`);
    return login;
  };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    output,
    loginOf,
    tokenOf(role) {
      const made = tokens.get(role) ?? makeToken(loginOf(role), directory);
      tokens.set(role, made);
      return made;
    },
    ended: () => exited,
    interrupt() {
      child.kill("SIGINT");
      return exited;
    },
  };
}

/** Starts the machine of a folder by `npm start`, and waits until it is ready; `kill` ends npm's own process. */
export async function startByNpm(directory: string, checkout = root) {
  const port = await findFreePort(0);
  const env = { ...environmentOf(directory), PORT: String(port) };
  const child = spawn("npm", ["start"], { cwd: checkout, env, stdio: ["ignore", "pipe", "pipe"] });
  await untilReady(child);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
}

/** Waits until a machine has printed all that it prints at its start; gives what it has printed so far, whenever it is asked. */
async function untilReady(child: ChildProcess): Promise<() => string> {
  let printed = "";
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Not ready in time: ${printed}`)), readyWithinMs);
    const read = (text: string) => {
      printed += text;
      if (/^Stop .*\n/m.test(printed)) resolve(clearTimeout(timer));
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", read);
    child.once("exit", () => reject(new Error(`Ended before it was ready: ${printed}`)));
  });
  return () => printed;
}

async function makeToken(login: string, directory: string): Promise<string> {
  const { code, stdout, stderr } = await runTool("infra/tools/token.ts", ["--as", login], directory);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
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
  return spawn(process.execPath, [resolve(root, file), ...parameters], {
    cwd: root,
    env: { ...environmentOf(directory), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** The settings of the test's own table must not reach a machine's process. */
function environmentOf(directory: string) {
  const { PATH = "", HOME = "", DYNAMODB_ENGINE } = process.env;
  // Commands of the project are started a hundred times in a run: compiled once, they take half of the time.
  const compiled = { NODE_COMPILE_CACHE: join(root, ".local/compile-cache") };
  return { PATH, HOME, ...compiled, ...(DYNAMODB_ENGINE && { DYNAMODB_ENGINE }), WORKFORCE_DIRECTORY: directory };
}
