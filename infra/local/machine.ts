import { createWriteStream, rmSync } from "node:fs";
import { join } from "node:path";
import { createEnvironments, type Environments } from "./functions/environments.ts";
import { type Sources, watchSources } from "./functions/sources.ts";
import { startWorkers, type Workers } from "./functions/workers.ts";
import { type FrontRequest, startFront } from "./gateway/http-server.ts";
import type { HttpService } from "./http-service.ts";
import { writeJsonFile } from "./json-file.ts";
import {
  dataDirectory,
  type MachineFile,
  machineFile,
  type OwnLocalAws,
  startLocalAws,
  workersOptions,
} from "./local-aws.ts";
import { findFreePort } from "./loopback-port.ts";
import { takeLock } from "./machine-lock.ts";
import { forgetSynthesis, root } from "./stack/synthesis.ts";

/** Where the machine lives, and callbacks for what happens in it. */
export interface MachineOptions {
  directory: string;
  /** 0 takes a free port. */
  port: number;
  /** Drops the data of earlier runs first. */
  fresh?: boolean;
  /** Called with each step of the start that takes seconds. */
  onProgress?(step: string): void;
  onRequest?(request: FrontRequest): void;
  /** Called with a worker's batch that failed; the full story is in the log file. */
  onWorkerFailure?(functionName: string, error: unknown): void;
}

/** A running local machine. */
export interface Machine extends Omit<OwnLocalAws, "close"> {
  baseUrl: string;
  /** Where the functions' own log lines go. */
  logFile: string;
  invoke: Environments["invoke"];
  /** Waits until all that was written and queued before is processed; see `Workers`. */
  settled: Workers["settled"];
  /** Ends everything the machine started; safe to call again. */
  close(): Promise<void>;
}

/** Queues are in memory: before the machine ends, what waits in them is delivered, as far as it takes no longer than this. */
const drainMilliseconds = 3_000;

/** Starts the whole service on this machine. Throws one sentence when the port or the directory is taken. */
export async function startMachine(options: MachineOptions): Promise<Machine> {
  const { directory } = options;
  const port = await findFreePort(options.port);
  const release = takeLock(directory);
  if (!release) throw new Error(`Another process uses the data in ${directory}: end it first.`);
  try {
    rmSync(machineFile(directory), { force: true });
    if (options.fresh) rmSync(dataDirectory(directory), { recursive: true, force: true });
    return await assemble(options, port, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function assemble(options: MachineOptions, port: number, release: () => void): Promise<Machine> {
  const { directory } = options;
  const baseUrl = `http://127.0.0.1:${port}`;
  const aws = await startLocalAws(directory, baseUrl, options.onProgress);
  const { stack, environment } = aws;
  const logFile = join(directory, "machine.log");
  const log = createWriteStream(logFile, { mode: 0o600 });
  const sources = watchBundles(directory, aws.bundles);
  const output = (_: string, text: string) => log.write(text);
  const environments = createEnvironments({ functions: stack.functions, environment, sources, output });
  const invoke: Environments["invoke"] = (name, event) =>
    environments.invoke(name, event).catch((error) => {
      log.write(`${JSON.stringify({ level: "error", operation: name, error: String(error), stack: error?.trace })}\n`);
      throw error;
    });

  let front: HttpService | undefined;
  let workers: Workers | undefined;
  const closeAll = async () => {
    rmSync(machineFile(directory), { force: true });
    await front?.close();
    await workers?.settled(drainMilliseconds).catch((error) => log.write(`${String(error)}\n`));
    await workers?.stop();
    await environments.close();
    await sources.close();
    await aws.close();
    await new Promise((resolve) => log.end(resolve));
    release();
  };
  try {
    workers = await startWorkers({ ...workersOptions(directory, aws, invoke), onFailure: options.onWorkerFailure });
    const { routes, cors } = stack;
    const { inbox, endpoints } = aws;
    const { answerEvents } = endpoints;
    front = await startFront({ port, routes, cors, inbox, answerEvents, invoke, onRequest: options.onRequest });
  } catch (error) {
    await closeAll();
    throw error;
  }

  writeJsonFile(machineFile(directory), { pid: process.pid, baseUrl, stack, environment } satisfies MachineFile);
  // Warming is a courtesy to the first requests; what cannot load says so when it is called.
  environments.warm().catch(() => {});
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  return { ...aws, baseUrl, logFile, invoke, settled: workers.settled, close };
}

function watchBundles(directory: string, bundles: string): Sources {
  const folders = ["functions", "shared"].map((folder) => join(root, folder));
  return watchSources(folders, async () => {
    forgetSynthesis(directory);
    const { createBundler } = await import("../functions/bundle.ts");
    return createBundler(bundles);
  });
}
