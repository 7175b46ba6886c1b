import { join } from "node:path";
import { pathToFileURL } from "node:url";
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

/** As Lambda does, it awaits `index.mjs` to its end. */
async function loadHandler(): Promise<{ handle: Handler } | { failure: unknown }> {
  try {
    const { handler } = await import(pathToFileURL(join(setup.directory, "index.mjs")).href);
    if (typeof handler !== "function") throw new Error("index.handler is undefined or not exported");
    return { handle: handler as Handler };
  } catch (failure) {
    return { failure };
  }
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
