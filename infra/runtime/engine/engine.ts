import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";
import { findFreePort } from "../http-service.ts";
import { type ChildService, startChild } from "./child-service.ts";
import { type EngineCommand, type EngineName, findEngine } from "./engine-commands.ts";

/** A running DynamoDB engine: its name, its HTTP endpoint on the loopback interface, and how to end it. */
export interface Engine {
  name: EngineName | "external";
  endpoint: string;
  /** Resolves, with the reason in one sentence, if the engine has died and could not be started again. */
  lost: Promise<Error>;
  close(): Promise<void>;
}

const startMilliseconds = 60_000;

/**
 * Starts a DynamoDB engine on a free loopback port and waits until it answers. Without a folder, no data outlives
 * `close`. `DYNAMODB_ENGINE` names the engine; the default is the first that runs here. `DYNAMODB_ENDPOINT` names a
 * running one instead. An engine with a folder that dies is started again on that folder and the same port, after a call of
 * `onDeath`. Throws one clear sentence if none can run here or it ends before it is ready.
 */
export async function startEngine(dataDirectory?: string, onDeath?: () => void): Promise<Engine> {
  const endpoint = process.env.DYNAMODB_ENDPOINT;
  if (endpoint) return { name: "external", endpoint, lost: new Promise(() => {}), close: async () => {} };

  const temporary = dataDirectory === undefined;
  const folder = temporary ? makeTemporaryFolder("engine") : { path: dataDirectory, remove() {} };
  const directory = folder.path;
  const port = await findFreePort();
  const command = findEngine(process.env.DYNAMODB_ENGINE, { directory, port, temporary });
  const url = `http://127.0.0.1:${port}`;
  let child: ChildService;
  let isClosing = false;
  const start = async () => {
    child = startChild(command.file, command.arguments);
    await untilReady(url, child, command);
  };
  const close = async () => {
    isClosing = true;
    await child.close();
    folder.remove();
  };
  const lost = Promise.withResolvers<Error>();
  const keepRunning = async () => {
    for (;;) {
      await child.end;
      if (isClosing) return;
      onDeath?.();
      await start();
    }
  };
  try {
    await start();
    if (command.name === "dynoxide") indexStreamRecords(join(directory, "table.sqlite"));
  } catch (error) {
    await close();
    throw error;
  }
  if (!temporary) keepRunning().catch((error) => isClosing || lost.resolve(error));
  return { name: command.name, endpoint: url, lost: lost.promise, close };
}

async function untilReady(url: string, child: ChildService, command: EngineCommand): Promise<void> {
  const signal = AbortSignal.timeout(startMilliseconds);
  while (!signal.aborted) {
    if (child.ended()) throw new Error(`The DynamoDB engine ${command.name} ended at once: ${child.lastWords()}`);
    try {
      // Every engine refuses an unsigned request. A refusal is enough to know that it listens.
      await fetch(url, { signal });
      return;
    } catch {
      await pause(10);
    }
  }
  throw new Error(`The DynamoDB engine ${command.name} did not answer within ${startMilliseconds / 1000} s.`);
}

/**
 * While a table has a stream, dynoxide reads all its stream records on every write. Without this index 20,000 records
 * slow it from 300 to 25 items a second. The index is added before any write and nothing else in the file changes.
 */
function indexStreamRecords(file: string): void {
  using database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(
    "CREATE INDEX IF NOT EXISTS stream_order ON _stream_records(table_name, CAST(sequence_number AS INTEGER))",
  );
}
