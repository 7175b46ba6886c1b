import { existsSync, readFileSync, rmSync } from "node:fs";
import { createEnvironments } from "./functions/environments.ts";
import { startWorkers } from "./functions/workers.ts";
import {
  describeLocalAws,
  type LocalAws,
  type MachineFile,
  machineFile,
  type OwnLocalAws,
  startLocalAws,
  workersOptions,
} from "./local-aws.ts";
import { takeLock } from "./machine-lock.ts";

/** Local AWS for a tool. */
export interface OpenLocalAws extends LocalAws {
  /** True if another process runs the machine. */
  running: boolean;
  /** Runs the workers until the stream and the queues are empty. A running machine does so by itself. */
  processPending(): Promise<void>;
}

/** Joins the machine that runs on a directory. If none runs, starts local AWS on its data, without the HTTP front. */
export async function openLocalAws({ directory }: { directory: string }): Promise<OpenLocalAws> {
  const release = takeLock(directory);
  if (!release) {
    const file = readMachineFile(directory);
    const nothing = async () => {};
    return {
      ...describeLocalAws(directory, file),
      running: true,
      processPending: nothing,
      close: nothing,
    };
  }
  try {
    rmSync(machineFile(directory), { force: true });
    const aws = await startLocalAws(directory, "http://127.0.0.1");
    const close = () => aws.close().finally(release);
    return { ...aws, running: false, processPending: () => processPending(directory, aws), close };
  } catch (error) {
    release();
    throw error;
  }
}

const processPendingMs = 10 * 60_000;

async function processPending(directory: string, aws: OwnLocalAws): Promise<void> {
  const { environment, builds } = aws;
  const environments = createEnvironments({ functions: aws.stack.functions, environment, builds, output: () => {} });
  const workers = await startWorkers(workersOptions(directory, aws, environments.invoke));
  try {
    await workers.settled(processPendingMs);
  } finally {
    await workers.stop();
    await environments.close();
  }
}

function readMachineFile(directory: string): MachineFile {
  const file = machineFile(directory);
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as MachineFile;
  throw new Error("Another process uses the local data or is just starting: try again when it is ready or has ended.");
}
