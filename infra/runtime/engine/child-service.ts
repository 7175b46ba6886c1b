import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A child process that provides a service: whether it has ended, its last output, and how to end it. */
export interface ChildService {
  ended(): boolean;
  /** Resolves when the process has ended, or could not be started. */
  end: Promise<void>;
  lastWords(): string;
  close(): Promise<void>;
}

const keptCharacters = 2_000;
const graceMilliseconds = 5_000;

/** Starts a program that ends with this process, however this process ends. */
export function startChild(file: string, args: string[]): ChildService {
  // Its own process group, so that Ctrl-C in the terminal reaches this process alone, which then ends the child in
  // order.
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  let words = "";
  const listen = (chunk: Buffer) => {
    words = (words + chunk.toString("utf8")).slice(-keptCharacters);
  };
  child.stdout.on("data", listen);
  child.stderr.on("data", listen);
  child.on("error", (error) => listen(Buffer.from(error.message)));
  const gone = new Promise<void>((resolve) => {
    child.once("exit", () => resolve()).once("error", () => resolve());
  });
  const ended = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  if (child.pid !== undefined) child.once("exit", guard(child.pid));
  const lastWords = () => words.trim().replaceAll(/\s+/g, " ");
  return { ended, end: gone, lastWords, close: () => end(child, ended) };
}

/**
 * Has a shell end a process when this one is gone, even if it is killed: the shell waits for the end of its input, which closes
 * with this process. Returns what ends the shell.
 */
function guard(pid: number): () => void {
  const shell = spawn("sh", ["-c", `read -r end; kill ${pid}`], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.unref();
  return () => shell.kill("SIGKILL");
}

async function end(child: ChildProcess, ended: () => boolean): Promise<void> {
  if (ended()) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), graceMilliseconds).unref();
  await gone;
}
