import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  dataDirectory,
  describeLocalAws,
  enterEnvironment,
  type LocalAws,
  machineFile,
  type OwnLocalAws,
  placesDirectory,
  readMachineFile,
  startLocalAws,
} from "../../local/local-aws.ts";
import { type InboxEntry, openInbox } from "../../runtime/aws/inbox.ts";
import { createEnvironments } from "../../runtime/functions/environments.ts";
import { startWorkers } from "../../runtime/functions/workers.ts";
import { takeLock } from "../../runtime/machine-lock.ts";
import { root } from "../../support/root.ts";
import { findTokenUser, type Service } from "./tool-service.ts";

/** The folder of the local machine's data: `.local`, or the one that `WORKFORCE_DIRECTORY` names. */
export function localDirectory(): string {
  return process.env.WORKFORCE_DIRECTORY ?? join(root, ".local");
}

/** Local AWS with records; this process is its client. */
export interface LocalService extends LocalAws, Service {
  messages(): InboxEntry[];
  /** A bearer token of a new session, for the user of a login in any form. Throws `UsageError` if no user has it. */
  mintTokenFor(login: string, hours: number): Promise<string>;
}

/**
 * Runs work on a local service, which is closed afterwards even if the work fails. Joins the running machine, or opens its data
 * without a server. Loads the demo data at the first use.
 */
export async function withLocalService<T>(directory: string, work: (service: LocalService) => Promise<T>): Promise<T> {
  await using closing = new AsyncDisposableStack();
  const aws = closing.adopt(await openLocalAws(directory), (each) => each.close());
  return await work(await openService(aws, directory));
}

async function openService(aws: OpenAws, directory: string): Promise<LocalService> {
  enterEnvironment(aws.environment);
  // A running machine loads the data itself.
  if (aws.wantsDemo && !aws.running) await loadDemoData(aws, directory);
  return {
    ...aws,
    messages: () => openInbox(join(dataDirectory(directory), "inbox.jsonl")).entries(),
    mintTokenFor: async (login, hours) =>
      aws.mintAccessToken(await findTokenUser(login, "the local machine"), Math.ceil(hours * 60 * 60)),
  };
}

type OpenAws = LocalAws & Pick<Service, "running" | "processPending">;

async function openLocalAws(directory: string): Promise<OpenAws> {
  const release = takeLock(directory);
  if (!release) return joinMachine(directory);
  await using starting = new AsyncDisposableStack();
  starting.defer(release);
  rmSync(machineFile(directory), { force: true });
  const aws = starting.adopt(await startLocalAws(directory), (each) => each.close());
  const started = starting.move();
  const close = () => started.disposeAsync();
  return { ...aws, running: false, processPending: () => processPending(directory, aws), close };
}

function joinMachine(directory: string): OpenAws {
  const machine = readMachineFile(directory);
  if (!machine)
    throw new Error(
      "Another process uses the local data or is just starting: try again when it is ready or has ended.",
    );
  const nothing = async () => {};
  return { ...describeLocalAws(directory, machine), running: true, processPending: nothing, close: nothing };
}

/** Work that follows from the first use of a machine's data, or from an import, may take minutes. */
const processPendingMs = 10 * 60_000;

async function processPending(directory: string, aws: OwnLocalAws): Promise<void> {
  await using running = new AsyncDisposableStack();
  const options = { current: () => aws, builds: aws.builds, output: () => {} };
  const { invoke } = running.adopt(createEnvironments(options), (each) => each.close());
  const started = await startWorkers({ ...aws, placesDirectory: placesDirectory(directory), invoke });
  const workers = running.adopt(started, (each) => each.stop());
  await workers.settled(processPendingMs);
}

async function loadDemoData(aws: OpenAws, directory: string): Promise<void> {
  process.stderr.write(`First use of ${directory}: loading the demo data …\n`);
  await aws.loadDemo();
  // The history and notifications come from the stream, which only a running machine processes by itself.
  return aws.processPending();
}
