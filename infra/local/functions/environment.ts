import { randomUUID } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { LocalFunction } from "../stack/template.ts";
import type { Invocation, Outcome, WorkerSetup } from "./environment-worker.ts";

/** What went wrong inside a function: the type and message that Lambda would answer. */
class FunctionError extends Error {
  readonly errorType: string;
  readonly trace: string | undefined;

  constructor(errorType: string, message: string, trace?: string) {
    super(message);
    this.name = "FunctionError";
    this.errorType = errorType;
    this.trace = trace;
  }
}

/** One running copy of a function. */
export interface Environment {
  /** Settles when the bundle is loaded, or failed to. */
  ready: Promise<void>;
  invoke(event: unknown): Promise<unknown>;
  /** Whether new invocations may come here. */
  usable(): boolean;
  /** Takes no more invocations and ends with the last one. */
  retire(): void;
  close(): Promise<void>;
}

/** Takes what a function writes to its standard output and error. */
export type EnvironmentOutput = (functionName: string, text: string) => void;

interface Pending {
  resolve(value: unknown): void;
  reject(error: FunctionError): void;
  timer?: NodeJS.Timeout;
}

const loadMilliseconds = 10_000;

/** Starts a thread that loads the function's bundle with only the settings given, as Lambda's runtime would. */
export function startEnvironment(
  definition: LocalFunction,
  options: { environment: Record<string, string>; output: EnvironmentOutput },
): Environment {
  const { name } = definition;
  const pending = new Map<string, Pending>();
  let retired = false;

  const setup: WorkerSetup = {
    directory: definition.directory,
    functionName: name,
    memoryMegabytes: definition.memoryMegabytes,
  };
  const worker = new Worker(new URL("./environment-worker.ts", import.meta.url), {
    workerData: setup,
    env: { ...options.environment, ...definition.environment, ...lambdaVariables(definition) },
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  for (const stream of [worker.stdout, worker.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => options.output(name, text));
  }

  const retire = () => {
    retired = true;
    if (pending.size === 0) void worker.terminate();
  };
  const settle = (id: string, act: (waiting: Pending) => void) => {
    const waiting = pending.get(id);
    if (!waiting) return;
    pending.delete(id);
    clearTimeout(waiting.timer);
    act(waiting);
    if (retired) retire();
  };
  const failAll = (type: string, message: string, trace?: string) => {
    retired = true;
    for (const id of [...pending.keys()]) {
      settle(id, ({ reject }) => reject(new FunctionError(type, message, trace)));
    }
  };

  const ready = new Promise<void>((resolve) => {
    worker.on("message", (message: Outcome | "ready") => {
      if (message === "ready") return resolve();
      settle(message.id, (waiting) => {
        if ("error" in message) {
          const { type, text, trace } = message.error;
          // A function that failed to load stays failed until it is loaded again.
          if (message.error.fatal) retired = true;
          waiting.reject(new FunctionError(type, text, trace));
        } else waiting.resolve(message.payload === undefined ? undefined : JSON.parse(message.payload));
      });
    });
    worker.once("exit", () => resolve());
    setTimeout(resolve, loadMilliseconds).unref();
  });
  const begin = (id: string, event: unknown) => {
    const waiting = pending.get(id);
    if (!waiting) return;
    const milliseconds = definition.timeoutSeconds * 1000;
    waiting.timer = setTimeout(() => {
      retired = true;
      const text = `Task timed out after ${definition.timeoutSeconds.toFixed(2)} seconds`;
      settle(id, ({ reject }) => reject(new FunctionError("Sandbox.Timedout", text)));
    }, milliseconds);
    const invocation: Invocation = { id, deadline: Date.now() + milliseconds, event: JSON.stringify(event) };
    worker.postMessage(invocation);
  };
  worker.on("error", (error) => failAll("Runtime.UnhandledError", String(error), (error as Error)?.stack));
  worker.once("exit", (code) => failAll("Runtime.ExitError", `Runtime exited with code ${code}`));

  return {
    ready,
    usable: () => !retired,
    retire,
    close: async () => void (await worker.terminate()),
    invoke: (event) =>
      new Promise((resolve, reject) => {
        const id = randomUUID();
        pending.set(id, { resolve, reject });
        // As in Lambda, loading the bundle takes nothing from the time of the first call.
        ready.then(() => begin(id, event));
      }),
  };
}

function lambdaVariables({ name, memoryMegabytes }: LocalFunction): Record<string, string> {
  return {
    // All functions share the processor of one machine.
    CALL_PATIENCE: "10",
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: "local",
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${process.versions.node.split(".")[0]}.x`,
    TZ: ":UTC",
  };
}
