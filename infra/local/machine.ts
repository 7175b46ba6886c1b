import { rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openDesk } from "./desk/desk.ts";
import { createEnvironments, type Environments, type Invoke } from "./functions/environments.ts";
import { reportWork, type WorkListeners } from "./functions/work-report.ts";
import { startWorkers, type Workers } from "./functions/workers.ts";
import { type Front, type FrontOptions, startFront } from "./gateway/http-server.ts";
import { findFreePort } from "./http-service.ts";
import { writeJsonFile } from "./json-file.ts";
import {
  dataDirectory,
  describeLocalAws,
  type MachineFile,
  machineFile,
  type OwnLocalAws,
  readMachineFile,
  startLocalAws,
  type TakenIn,
  workersOptions,
} from "./local-aws.ts";
import { takeLock } from "./machine-lock.ts";
import { type MachineLog, openMachineLog } from "./machine-log.ts";
import { watchStack } from "./stack/stack-watch.ts";

export interface MachineOptions extends WorkListeners, Pick<FrontOptions, "lan" | "onRequest"> {
  directory: string;
  /** 0 takes a free port. */
  port: number;
  fresh?: boolean;
  /** Called with each step of the start that takes seconds. */
  onProgress?(step: string): void;
  /** Called with a line when the stack changes while the machine runs, and with one on the result. */
  onStack?(line: string): void;
}

export interface Machine extends Omit<OwnLocalAws, "close" | "takeIn" | "builds" | "made"> {
  baseUrl: string;
  /** The file of the functions' own log lines. */
  logFile: string;
  invoke: Invoke;
  /** Waits until all earlier writes and messages are processed; see `Workers`. */
  settled: Workers["settled"];
  /** Ends everything the machine started; safe to call again. */
  close(): Promise<void>;
}

/** Queues are in memory. Before the machine ends, it delivers waiting messages for at most this long. */
const drainMilliseconds = 3_000;

/** Starts the whole service on this machine. Throws one sentence if the port or the directory is taken. */
export async function startMachine(options: MachineOptions): Promise<Machine> {
  const { directory } = options;
  const release = takeLock(directory);
  if (!release) throw new Error(heldBy(directory));
  try {
    const port = await findFreePort(options.port);
    rmSync(machineFile(directory), { force: true });
    if (options.fresh) rmSync(dataDirectory(directory), { recursive: true, force: true });
    return await assemble(options, port, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** The reason why a directory's lock is taken. Other commands take it too, and a machine that is starting has no address. */
function heldBy(directory: string): string {
  const running = readMachineFile(directory);
  if (running) return `This folder's machine runs already at ${running.baseUrl}: use it, or end it first.`;
  return `Another process uses the data in ${directory}: end it first.`;
}

async function assemble(options: MachineOptions, port: number, release: () => void): Promise<Machine> {
  const { directory, lan = false } = options;
  const baseUrl = `http://127.0.0.1:${port}`;
  const { takeIn, builds, made, ...aws } = await startLocalAws(directory, options.onProgress);
  const logFile = join(directory, "machine.log");
  const log = openMachineLog(logFile);
  const environments = createEnvironments({ ...aws, functions: aws.stack.functions, builds, output: log.write });
  const invoke = logCalls(environments.invoke, log);
  const { placesDirectory } = workersOptions(directory, aws, invoke);
  const desk = openDesk(() => ({
    ...machine,
    ...machine.endpoints,
    lan,
    placesDirectory,
    run: (name) => work(name, {}),
  }));
  const listeners = desk.alongside(options);
  const work = reportWork(invoke, listeners);
  const startWork = (taken: TakenIn) =>
    startWorkers({
      ...workersOptions(directory, { ...aws, ...taken }, work),
      onFailure: options.onWorkerFailure,
      onStream: desk.openStream,
    });

  const parts: Parts = { aws, log, environments, release };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll(directory, parts);
    return closing;
  };
  const settled: Workers["settled"] = async (milliseconds) => parts.workers?.settled(milliseconds);
  const machine: Machine = { ...aws, baseUrl, logFile, invoke, settled, close };
  // Calls that run while the stack is replaced end in their own environments.
  const replace = async (template: object) => {
    const { stack: before } = machine;
    const taken = await takeIn(template);
    Object.assign(machine, describeLocalAws(directory, taken));
    environments.replace({ ...taken, functions: taken.stack.functions });
    parts.front?.replace(taken.stack);
    writeMachineFile(directory, machine);
    const sources = ["mappings", "streamMappings", "schedules"] as const;
    if (sources.every((part) => isDeepStrictEqual(before[part], taken.stack[part]))) return;
    await parts.workers?.stop();
    parts.workers = await startWork(taken);
  };
  try {
    parts.workers = await startWork(aws);
    parts.front = await startFront({
      port,
      lan,
      ...aws.stack,
      answerLocal: desk.answer,
      invoke,
      onRequest: listeners.onRequest,
    });
    parts.watch = watchStack({ directory, made, replace, say: (line) => options.onStack?.(line) });
  } catch (error) {
    await close();
    throw error;
  }
  writeMachineFile(directory, machine);
  return machine;
}

interface Parts {
  aws: Pick<OwnLocalAws, "close">;
  log: MachineLog;
  environments: Environments;
  release(): void;
  workers?: Workers;
  front?: Front;
  watch?: ReturnType<typeof watchStack>;
}

async function closeAll(directory: string, { aws, log, environments, release, ...parts }: Parts): Promise<void> {
  rmSync(machineFile(directory), { force: true });
  await parts.front?.close();
  await parts.watch?.stop();
  await parts.workers?.settled(drainMilliseconds).catch((error) => log.write(`${String(error)}\n`));
  await parts.workers?.stop();
  await environments.close();
  await aws.close();
  log.close();
  release();
}

function logCalls(call: Environments["invoke"], log: MachineLog): Invoke {
  return async (name, event, output) => {
    try {
      return await call(name, event, (text) => {
        log.write(text);
        output?.(text);
      });
    } catch (error) {
      const stack = (error as { trace?: string }).trace;
      log.write(`${JSON.stringify({ level: "error", operation: name, error: String(error), stack })}\n`);
      throw error;
    }
  };
}

function writeMachineFile(directory: string, { baseUrl, stack, environment }: Machine): void {
  writeJsonFile(machineFile(directory), { pid: process.pid, baseUrl, stack, environment } satisfies MachineFile);
}
