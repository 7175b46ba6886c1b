import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createEnvironments, type Environments, type Invoke } from "../runtime/functions/environments.ts";
import { reportWork, type WorkListeners } from "../runtime/functions/work-report.ts";
import { startWorkers, type Workers } from "../runtime/functions/workers.ts";
import { type FrontOptions, startFront } from "../runtime/gateway/http-server.ts";
import { findFreePort } from "../runtime/http-service.ts";
import { takeLock } from "../runtime/machine-lock.ts";
import { openMachineLog } from "../runtime/machine-log.ts";
import { watchStack } from "../runtime/stack/stack-watch.ts";
import { writeJsonFile } from "../support/json-file.ts";
import type { Template } from "../support/stack-template.ts";
import { openDesk } from "./desk/desk.ts";
import {
  dataDirectory,
  describeLocalAws,
  type MachineFile,
  machineFile,
  type OwnLocalAws,
  placesDirectory,
  readMachineFile,
  startLocalAws,
  type TakenIn,
} from "./local-aws.ts";
import { serviceApp } from "./service-app.ts";

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
  const release = await waitForLock(directory);
  await using starting = new AsyncDisposableStack();
  starting.defer(release);
  const port = await findFreePort(options.port);
  remove(machineFile(directory));
  if (options.fresh) remove(dataDirectory(directory));
  const machine = await assemble(options, port, starting);
  const started = starting.move();
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= started.disposeAsync();
    return closing;
  };
  return Object.assign(machine, { close });
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** A machine that is ending has no address, and keeps the lock until its last messages are delivered. */
const endsWithinMilliseconds = 5_000;
const looksEveryMilliseconds = 100;

/** Takes the lock of a directory. Waits for a machine that is ending; throws one sentence if another process keeps the lock. */
async function waitForLock(directory: string): Promise<() => void> {
  const deadline = Date.now() + endsWithinMilliseconds;
  for (;;) {
    const release = takeLock(directory);
    if (release) return release;
    if (readMachineFile(directory) || Date.now() > deadline) throw new Error(heldBy(directory));
    await pause(looksEveryMilliseconds);
  }
}

/** The reason why a directory's lock is taken. Other commands take it too, and a machine that is starting has no address. */
function heldBy(directory: string): string {
  const running = readMachineFile(directory);
  if (running) return `This folder's machine runs already at ${running.baseUrl}: use it, or end it first.`;
  return `Another process uses the data in ${directory}: end it first.`;
}

type OpenMachine = Omit<Machine, "close">;

/** Starts the parts. Each ends before those that it uses, because `starting` ends them in reverse. */
async function assemble(options: MachineOptions, port: number, starting: AsyncDisposableStack): Promise<OpenMachine> {
  const { directory, lan = false } = options;
  const baseUrl = `http://127.0.0.1:${port}`;
  const { takeIn, builds, made, close, ...aws } = await startLocalAws(directory, options.onProgress);
  starting.defer(close);
  const logFile = join(directory, "machine.log");
  const log = openMachineLog(logFile);
  const environments = createEnvironments({ current: () => machine, builds, output: log });
  starting.defer(environments.close);
  const invoke = logCalls(environments.invoke, log);
  const places = placesDirectory(directory);
  const desk = openDesk(() => ({
    ...machine,
    ...machine.endpoints,
    lan,
    placesDirectory: places,
    run: (name) => work(name, {}),
  }));
  const listeners = desk.alongside(options);
  const work = reportWork(invoke, listeners);
  const startWork = (taken: TakenIn) =>
    startWorkers({
      ...taken,
      placesDirectory: places,
      invoke: work,
      onFailure: options.onWorkerFailure,
      onStream: desk.openStream,
    });

  const settled: Workers["settled"] = (milliseconds) => workers.settled(milliseconds);
  const machine: OpenMachine = { ...aws, baseUrl, logFile, invoke, settled };
  let workers = await startWork(aws);
  starting.defer(async () => {
    try {
      await workers.settled(drainMilliseconds);
    } catch (error) {
      log(`${String(error)}\n`);
    }
    await workers.stop();
  });
  const { onRequest } = listeners;
  const stack = () => machine.stack;
  const front = await startFront({ port, lan, stack, answerLocal: desk.answer, invoke, onRequest });
  starting.defer(front.close);
  // Calls that run while the stack is replaced end in their own environments.
  const replace = async (template: Template) => {
    const taken = await takeIn(template);
    Object.assign(machine, describeLocalAws(directory, taken));
    writeMachineFile(directory, machine);
    await workers.stop();
    workers = await startWork(taken);
  };
  const watch = watchStack({ app: serviceApp, directory, made, replace, say: (line) => options.onStack?.(line) });
  starting.defer(watch.stop);
  writeMachineFile(directory, machine);
  starting.defer(() => remove(machineFile(directory)));
  return machine;
}

function logCalls(call: Environments["invoke"], log: (text: string) => void): Invoke {
  return async (name, event, output) => {
    try {
      return await call(name, event, (text) => {
        log(text);
        output?.(text);
      });
    } catch (error) {
      const stack = (error as { trace?: string }).trace;
      log(`${JSON.stringify({ level: "error", operation: name, error: String(error), stack })}\n`);
      throw error;
    }
  };
}

function writeMachineFile(directory: string, { baseUrl, stack, environment }: OpenMachine): void {
  writeJsonFile(machineFile(directory), { baseUrl, stack, environment } satisfies MachineFile);
}
