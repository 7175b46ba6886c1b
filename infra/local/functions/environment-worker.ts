import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { compileFunction, constants } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";

/** What the thread of one function needs to know. */
export interface WorkerSetup {
  /** Folder of its bundle. */
  directory: string;
  functionName: string;
  memoryMegabytes: number;
}

/** One call: the event as JSON, and when it times out (milliseconds since 1970). */
export interface Invocation {
  id: string;
  deadline: number;
  event: string;
}

/** What became of a call: the answer as JSON, or the error; a fatal one means that the function cannot run at all. */
export type Outcome = { id: string } & (
  | { payload: string | undefined }
  | { error: { type: string; text: string; trace: string | undefined; fatal: boolean } }
);

type Handler = (event: unknown, context: unknown) => unknown;

const setup = workerData as WorkerSetup;
const handler = await loadHandler();

parentPort?.on("message", async (invocation: Invocation) => {
  parentPort?.postMessage(await run(invocation));
});
parentPort?.postMessage("ready");

async function run({ id, deadline, event }: Invocation): Promise<Outcome> {
  try {
    if ("failure" in handler) throw handler.failure;
    const answer = await handler.handle(JSON.parse(event), context(id, deadline));
    return { id, payload: JSON.stringify(answer) };
  } catch (thrown) {
    const fatal = "failure" in handler;
    if (!(thrown instanceof Error))
      return { id, error: { type: "Error", text: String(thrown), trace: undefined, fatal } };
    return { id, error: { type: thrown.name, text: thrown.message, trace: thrown.stack, fatal } };
  }
}

/** As Lambda does: `index.js` if there is one, else `index.mjs`, which it awaits to its end. */
async function loadHandler(): Promise<{ handle: Handler } | { failure: unknown }> {
  const script = join(setup.directory, "index.js");
  const module = pathToFileURL(join(setup.directory, "index.mjs")).href;
  try {
    const { handler } = existsSync(script) ? runScript(script) : await import(module);
    if (typeof handler !== "function") throw new Error("index.handler is undefined or not exported");
    return { handle: handler as Handler };
  } catch (failure) {
    return { failure };
  }
}

/** Lambda treats a script without a package.json as CommonJS, whatever the package.json above this checkout says. */
function runScript(file: string): { handler?: unknown } {
  const bundle: { exports: { handler?: unknown } } = { exports: {} };
  const run = compileFunction(readFileSync(file, "utf8"), ["exports", "require", "module", "__filename", "__dirname"], {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  run(bundle.exports, createRequire(file), bundle, file, dirname(file));
  return bundle.exports;
}

function context(awsRequestId: string, deadline: number) {
  const { functionName } = setup;
  return {
    awsRequestId,
    functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:${process.env.AWS_REGION}:000000000000:function:${functionName}`,
    memoryLimitInMB: String(setup.memoryMegabytes),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: "local",
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}
