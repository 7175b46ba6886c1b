import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findFreePort } from "../../../infra/runtime/http-service.ts";
import { installEmulator } from "./install.ts";
import { root } from "./program.ts";

const readyWithinMs = 30_000;
const graceMs = 5_000;

/** The account and the region that everything is deployed into. The key of an account's owner is, here, its number. */
export const account = "111122223333";
export const region = "eu-west-2";

/** An AWS of this process's own: it listens on the loopback interface, forgets everything, and ends with this process. */
export interface Emulator {
  readonly port: number;
  /** The environment that makes a program a client of it, with all rights. */
  readonly clientEnvironment: Readonly<Record<string, string>>;
  /** Calls that were refused because the caller's role has no right to them. */
  refusals(): string[];
  log(): string;
  close(): Promise<void>;
}

/** Starts it with its files in a folder; it runs functions on Lambda's Node and refuses what their roles do not allow. */
export async function startEmulator(directory: string): Promise<Emulator> {
  const python = await installEmulator();
  const port = await findFreePort();
  const [logFile, refusalsFile] = [join(directory, "emulator.log"), join(directory, "refusals.jsonl")];
  const log = openSync(logFile, "a");
  const child = spawn(python, [join(root, "test/system/deploy/emulator.py")], {
    env: environment(directory, port, refusalsFile),
    stdio: ["pipe", log, log],
    // A process group of its own: the functions that it runs end with it.
    detached: true,
  });
  closeSync(log);
  const readLog = () => readFileSync(logFile, "utf8");
  try {
    await isReady(child, port, readLog);
  } catch (error) {
    await end(child);
    throw error;
  }
  return {
    port,
    clientEnvironment: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: account,
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_REGION: region,
    },
    refusals: () => (existsSync(refusalsFile) ? readFileSync(refusalsFile, "utf8").split("\n").filter(Boolean) : []),
    log: readLog,
    close: () => end(child),
  };
}

function environment(directory: string, port: number, refusalsFile: string): NodeJS.ProcessEnv {
  // Beside its own bundle a function finds the SDK and nothing else, as in Lambda.
  const [modules, temporary] = [join(directory, "modules"), join(directory, "tmp")];
  mkdirSync(temporary, { recursive: true });
  mkdirSync(modules);
  symlinkSync(join(root, "node_modules/@aws-sdk"), join(modules, "@aws-sdk"));
  return {
    PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}`,
    HOME: directory,
    TMPDIR: temporary,
    NODE_PATH: modules,
    PYTHONDONTWRITEBYTECODE: "1",
    BIND_HOST: "127.0.0.1",
    MINISTACK_HOST: "localhost",
    GATEWAY_PORT: String(port),
    MINISTACK_ACCOUNT_ID: account,
    MINISTACK_REGION: region,
    // Rights are enforced.
    AUTH: "true",
    REFUSALS_FILE: refusalsFile,
    IOT_MTLS_ENABLED: "0",
    SFTP_ENABLED: "0",
  };
}

async function isReady(child: ChildProcess, port: number, readLog: () => string): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  while (Date.now() < deadline && child.exitCode === null && child.pid !== undefined) {
    const answer = await fetch(`http://127.0.0.1:${port}/_ministack/ready`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The emulator did not start:\n${readLog()}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    const impatience = setTimeout(() => child.kill("SIGKILL"), graceMs);
    await gone;
    clearTimeout(impatience);
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // All of its functions have ended already.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
