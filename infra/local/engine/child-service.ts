import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A child process that provides a service: whether it has ended, its last output, and how to end it. */
export interface ChildService {
  ended(): boolean;
  lastWords(): string;
  close(): Promise<void>;
}

const keptCharacters = 2_000;
const graceMilliseconds = 5_000;

/**
 * Starts a program that ends with this process, however this process ends. If this process is killed, the next start
 * finds the program by the process id in the file, and ends it.
 */
export function startChild(file: string, args: string[], idFile: string): ChildService {
  endOrphan(idFile);
  // Its own process group, so that Ctrl-C in the terminal reaches this process alone, which then ends the child in
  // order.
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  if (child.pid !== undefined) writeFileSync(idFile, String(child.pid));
  let words = "";
  const listen = (chunk: Buffer) => {
    words = (words + chunk.toString("utf8")).slice(-keptCharacters);
  };
  child.stdout.on("data", listen);
  child.stderr.on("data", listen);
  child.on("error", (error) => listen(Buffer.from(error.message)));

  const kill = () => child.kill("SIGTERM");
  process.once("exit", kill);
  // A signal without a handler would end this process without its exit hooks.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    if (process.listenerCount(signal) === 0) process.once(signal, () => process.exit(130));
  }
  const close = async () => {
    await end(child, ended);
    rmSync(idFile, { force: true });
  };
  const ended = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  child.once("exit", () => process.removeListener("exit", kill));
  return { ended, lastWords: () => words.trim().replaceAll(/\s+/g, " "), close };
}

async function end(child: ChildProcess, ended: () => boolean): Promise<void> {
  if (ended()) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const impatience = setTimeout(() => child.kill("SIGKILL"), graceMilliseconds);
  await gone;
  clearTimeout(impatience);
}

/** Ends the process that the file names, if it is still a program working in the file's folder. */
function endOrphan(idFile: string): void {
  if (!existsSync(idFile)) return;
  const id = readFileSync(idFile, "utf8");
  const { stdout } = spawnSync("ps", ["-p", id, "-o", "args="], { encoding: "utf8" });
  if (stdout?.includes(dirname(idFile))) process.kill(Number(id), "SIGTERM");
  rmSync(idFile);
}
