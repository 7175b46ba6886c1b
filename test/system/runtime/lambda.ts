import { spawn } from "node:child_process";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { execPath } from "node:process";
import { readBody, startHttpService } from "../../../infra/runtime/http-service.ts";

const nativeClient = join(import.meta.dirname, "native-client.cjs");
// As Lambda sets Node up.
const flags = ["--no-experimental-require-module", "--no-experimental-detect-module"];
/** Lambda ends an environment that has not started within this time. */
const mostStartMs = 10_000;

/** The start of a function's environment: its duration, and the answer to its first call. */
export interface Started {
  readonly startMs: number;
  /** Undefined where no answer was waited for. */
  readonly answer: { readonly kind: "response" | "error"; readonly body: unknown } | undefined;
  readonly log: string;
}

/** The program and the environment of a function's start. */
export interface Start {
  readonly program: string;
  readonly bundle: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly event: unknown;
  readonly waitsForAnswer: boolean;
}

/** Starts a bundle under AWS's runtime client and calls it once. Throws where it does not start, or dies. */
export async function startFunction({ program, bundle, environment, event, waitsForAnswer }: Start): Promise<Started> {
  const began = performance.now();
  let startMs = 0;
  let log = "";
  const { promise, resolve, reject } = Promise.withResolvers<Started["answer"]>();
  const runtimeApi = await startHttpService(async (request, response) => {
    const body = await readJson(request);
    if (request.url?.endsWith("/init/error")) reject(new Error(`It did not start: ${JSON.stringify(body)}`));
    if (request.url?.endsWith("/next") && startMs === 0) {
      startMs = performance.now() - began;
      if (!waitsForAnswer) return resolve(undefined);
      response.writeHead(200, invocationHeaders());
      return void response.end(JSON.stringify(event));
    }
    const [, kind] = /\/invocation\/call-1\/(response|error)$/.exec(request.url ?? "") ?? [];
    // A second call never comes.
    if (kind) resolve({ kind: kind as "response" | "error", body });
  });
  const child = spawn(execPath, [...flags, "--require", nativeClient, program], {
    env: {
      PATH: process.env.PATH,
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${runtimeApi.port}`,
      LAMBDA_TASK_ROOT: bundle,
      _HANDLER: "index.handler",
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
      AWS_LAMBDA_FUNCTION_NAME: "made-up",
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "512",
      AWS_LAMBDA_LOG_GROUP_NAME: "made-up",
      AWS_LAMBDA_LOG_STREAM_NAME: "made-up",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  }
  child.on("exit", (code) => reject(new Error(`It ended with ${code}:\n${log.slice(-2_000)}`)));
  const late = setTimeout(() => reject(new Error(`It did not answer:\n${log.slice(-2_000)}`)), 3 * mostStartMs);
  try {
    return { answer: await promise, startMs, log };
  } finally {
    clearTimeout(late);
    child.kill("SIGKILL");
    await runtimeApi.close();
  }
}

function invocationHeaders(): Record<string, string> {
  return {
    "content-type": "application/json",
    "lambda-runtime-aws-request-id": "call-1",
    "lambda-runtime-deadline-ms": String(Date.now() + mostStartMs),
    "lambda-runtime-invoked-function-arn": "arn:aws:lambda:eu-west-2:000000000000:function:made-up",
    "lambda-runtime-trace-id": "Root=1-00000000-000000000000000000000000",
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = (await readBody(request, 10_000_000))?.toString();
  return text ? JSON.parse(text) : undefined;
}
