import { join } from "node:path";
import { pathToFileURL } from "node:url";

export interface ProcessSetup {
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

/** The result of a call: the answer as JSON, or the error. After a fatal error the function cannot run at all. */
export type CallResult =
  | { payload: string | undefined }
  | { error: { type: string; text: string; trace: string | undefined; fatal: boolean } };

/** A message of the process: the function is loaded, output in the order written, or the result of a call. */
export type ProcessMessage = "ready" | { output: string } | CallResult;

type Handler = (event: unknown, context: unknown) => unknown;

/** The most that one call may write. The rest is left out, because a loop that writes would fill the disk. */
const mostOutputCharacters = 4 * 1024 * 1024;

const setup = JSON.parse(process.argv[1] ?? "{}") as ProcessSetup;
let written = 0;
for (const stream of [process.stdout, process.stderr]) stream.write = writeHere;
const handler = await loadHandler();

process.on("disconnect", () => process.exit());
process.on("message", async (invocation: Invocation) => {
  written = 0;
  say(await run(invocation));
});
say("ready");

function say(message: ProcessMessage): void {
  process.send?.(message);
}

/** Sends output by the same channel as the result, so that output arrives before the result. */
function writeHere(chunk: string | Uint8Array, encoding?: unknown, done?: unknown): boolean {
  const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
  const wasWithin = written <= mostOutputCharacters;
  written += text.length;
  if (written <= mostOutputCharacters) say({ output: text });
  else if (wasWithin)
    say({ output: `[what this call writes beyond ${mostOutputCharacters} characters is left out]\n` });
  const whenDone = typeof encoding === "function" ? encoding : done;
  if (typeof whenDone === "function") queueMicrotask(() => whenDone());
  return true;
}

async function run({ id, deadline, event }: Invocation): Promise<CallResult> {
  try {
    if ("failure" in handler) throw handler.failure;
    const answer = await handler.handle(JSON.parse(event), context(id, deadline));
    return { payload: JSON.stringify(answer) };
  } catch (thrown) {
    const fatal = "failure" in handler;
    if (!(thrown instanceof Error)) return { error: { type: "Error", text: String(thrown), trace: undefined, fatal } };
    return { error: { type: thrown.name, text: thrown.message, trace: thrown.stack, fatal } };
  }
}

/** Awaits all of `index.mjs`, as Lambda does. */
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
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}
