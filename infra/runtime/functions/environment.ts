import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { url as inspectorUrl } from "node:inspector";
import { transformSync } from "esbuild";
import type { LocalFunction } from "../stack/template.ts";
import type { CallResult, Invocation, ProcessMessage, ProcessSetup } from "./environment-program.ts";

/** A failure inside a function, with the type and message that Lambda would answer. */
class FunctionError extends Error {
  override readonly name = "FunctionError";
  readonly errorType: string;
  readonly trace: string | undefined;

  constructor(errorType: string, message: string, trace?: string) {
    super(message);
    this.errorType = errorType;
    this.trace = trace;
  }
}

/** One running copy of a function, which takes one call at a time. */
export interface Environment {
  /** Returns the function's answer and passes its output to `output`. Rejects with `FunctionError`. */
  invoke(event: unknown, output?: Output): Promise<unknown>;
  usable(): boolean;
  /** Takes no new invocations and ends after the current one. */
  retire(): void;
  close(): Promise<void>;
}

/** Receives what a function writes to its standard output and error. */
export type Output = (text: string) => void;

interface Call {
  resolve(value: unknown): void;
  reject(error: FunctionError): void;
  output: Output;
  unlimit(): void;
}

const loadMilliseconds = 10_000;

/**
 * Starts a process that loads the function's build. `output` receives what the process writes between calls. If the
 * function exits, hangs or fills its heap, only its own call fails.
 */
export function startEnvironment(
  definition: LocalFunction,
  options: { environment: Record<string, string>; output: Output },
): Environment {
  const child = startProcess(definition, options.environment);
  const gone = once(child, "exit");
  let call: Call | undefined;
  let retired = false;
  let lastWords = "";

  const retire = () => {
    retired = true;
    if (!call) child.kill("SIGKILL");
  };
  const settle = (act: (ended: Call) => void) => {
    const ended = call;
    if (!ended) return;
    call = undefined;
    ended.unlimit();
    act(ended);
    if (retired) retire();
  };
  const fail = (error: FunctionError) => {
    retired = true;
    settle(({ reject }) => reject(error));
  };
  const conclude = (outcome: CallResult) => {
    // A function that failed to load stays failed until it is loaded again.
    if ("error" in outcome && outcome.error.fatal) retired = true;
    settle((ended) => answer(ended, outcome));
  };
  const ready = new Promise<void>((resolve) => {
    child.on("message", (message: ProcessMessage) => {
      if (message === "ready") resolve();
      else if ("output" in message) (call?.output ?? options.output)(message.output);
      else conclude(message);
    });
    child.once("exit", () => resolve());
    setTimeout(resolve, loadMilliseconds).unref();
  });
  // Output of Node itself before it aborts, or of a module that bypasses the patched streams.
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      lastWords = (lastWords + text).slice(-4_000);
      options.output(text);
    });
  }
  child.once("error", (error) => fail(new FunctionError("Runtime.StartError", String(error))));
  child.once("close", (code, signal) =>
    fail(endOf(signal === null ? `with code ${code}` : `by ${signal}`, lastWords, definition)),
  );

  const begin = (made: Call, event: unknown) => {
    made.unlimit = limitCall(definition, fail);
    const deadline = Date.now() + definition.timeoutSeconds * 1000;
    child.send({ id: randomUUID(), deadline, event: JSON.stringify(event) } satisfies Invocation, () => {});
  };
  return {
    usable: () => !retired,
    retire,
    async close() {
      child.kill("SIGKILL");
      await gone;
    },
    invoke: (event, output = options.output) =>
      new Promise((resolve, reject) => {
        const made: Call = { resolve, reject, output, unlimit: () => {} };
        call = made;
        // Loading the build does not count towards the time limit of the first call, as in Lambda.
        ready.then(() => begin(made, event)).catch(reject);
      }),
  };
}

function answer({ resolve, reject }: Call, outcome: CallResult): void {
  if ("error" in outcome) {
    const { type, text, trace } = outcome.error;
    reject(new FunctionError(type, text, trace));
  } else resolve(outcome.payload === undefined ? undefined : JSON.parse(outcome.payload));
}

function limitCall({ timeoutSeconds }: LocalFunction, fail: (error: FunctionError) => void): () => void {
  // No time limit under a debugger: a developer may wait at a breakpoint.
  if (inspectorUrl() !== undefined) return () => {};
  const text = `Task timed out after ${timeoutSeconds.toFixed(2)} seconds`;
  const timer = setTimeout(() => fail(new FunctionError("Sandbox.Timedout", text)), timeoutSeconds * 1000);
  return () => clearTimeout(timer);
}

/** The error for a process that ended without being asked to. */
function endOf(how: string, lastWords: string, { memoryMegabytes }: LocalFunction): FunctionError {
  if (lastWords.includes("heap out of memory")) {
    return new FunctionError(
      "Runtime.OutOfMemory",
      `Runtime ended: it took more than its ${memoryMegabytes} MB of memory`,
    );
  }
  const [, thrown] = /^(?:Uncaught )?(\w*Error: .*(?:\n {4}at .*)*)/m.exec(lastWords) ?? [];
  if (thrown === undefined) return new FunctionError("Runtime.ExitError", `Runtime exited ${how}`);
  return new FunctionError("Runtime.UnhandledError", thrown.split("\n")[0] ?? "", thrown);
}

const programFile = new URL("./environment-program.ts", import.meta.url);
let program: string | undefined;

/**
 * Starts the process of a function with the given settings alone, as Lambda's runtime would. The types are stripped
 * from its program here, once: stripping them in each process takes longer than the rest of its start. A debugger that
 * is attached to this process attaches to the new one too.
 */
function startProcess(definition: LocalFunction, environment: Record<string, string>): ChildProcess {
  const { name, directory, memoryMegabytes } = definition;
  program ??= transformSync(readFileSync(programFile, "utf8"), { loader: "ts", target: "node24" }).code;
  const setup = JSON.stringify({ directory, functionName: name, memoryMegabytes } satisfies ProcessSetup);
  const flags = [
    "--enable-source-maps",
    `--max-old-space-size=${memoryMegabytes}`,
    ...(inspectorUrl() === undefined ? [] : ["--inspect=127.0.0.1:0"]),
  ];
  return spawn(process.execPath, [...flags, "--input-type=module", "--eval", program, "--", setup], {
    env: { ...environment, ...lambdaVariables(definition), ...debuggerVariables() },
    // Its own process group, so that Ctrl-C in the terminal reaches this process alone, which then ends the others in
    // order.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}

function debuggerVariables() {
  const { NODE_OPTIONS, VSCODE_INSPECTOR_OPTIONS } = process.env;
  return { VSCODE_INSPECTOR_OPTIONS, NODE_OPTIONS: VSCODE_INSPECTOR_OPTIONS && NODE_OPTIONS };
}

function lambdaVariables({ name, memoryMegabytes }: LocalFunction): Record<string, string> {
  return {
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: "local",
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${process.versions.node.split(".")[0]}.x`,
    TZ: ":UTC",
  };
}
