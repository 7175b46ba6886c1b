import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { gunzipSync } from "node:zlib";
import type { APIGatewayProxyStructuredResultV2, Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { getOpenapi } from "../../../shared/contract/service.ts";
import { type FunctionName, functions, operationRows } from "../../functions/functions.ts";
import { pageFunction } from "../../functions/worker-rows.ts";
import type { InboxEntry } from "../../runtime/aws/inbox.ts";
import { spreadJson } from "../../runtime/json-text.ts";

/** A handler's result, and its duration. */
export interface TimedAnswer {
  readonly answer: unknown;
  readonly milliseconds: number;
}

/** Runs a function's handler from its source. Its log lines go to standard error. */
export async function invokeHandler(name: FunctionName, event: unknown): Promise<TimedAnswer> {
  Object.assign(globalThis, await insertedTexts(name));
  const { handler } = await import(`../../../functions/${functions[name].area}/${name}.ts`);
  const context = { awsRequestId: randomUUID(), functionName: name } satisfies Partial<Context>;
  const writeOut = process.stdout.write;
  process.stdout.write = (chunk: string | Uint8Array) => writeAside(chunk, name);
  const began = performance.now();
  try {
    const answer: unknown = await handler(event, context);
    return { answer, milliseconds: performance.now() - began };
  } finally {
    process.stdout.write = writeOut;
  }
}

/** The texts that the bundler inserts into a function, by the name that its source declares. */
async function insertedTexts(name: FunctionName): Promise<object> {
  if (name === getOpenapi.name) return await import("../../local/builds/finished-document.ts");
  if (name !== pageFunction) return {};
  const { pageDefine } = await import("../../document/page-build.ts");
  return { DOCS_FILES: JSON.parse(pageDefine().DOCS_FILES) };
}

/** An HTTP answer in full: status and time, headers, and the body, with JSON on several lines. */
export function describeAnswer({ answer, milliseconds }: TimedAnswer): string {
  const given = answer as APIGatewayProxyStructuredResultV2;
  const { statusCode = 0, headers = {} } = given;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${statusCode} ${STATUS_CODES[statusCode] ?? ""}  ${milliseconds.toFixed(0)} ms\n${lines.join("\n")}\n\n${spreadJson(textOf(given))}\n`;
}

/** The body as text; a function sends in base64 only what it has compressed. */
function textOf({ body = "", isBase64Encoded }: APIGatewayProxyStructuredResultV2): string {
  return isBase64Encoded ? gunzipSync(Buffer.from(body, "base64")).toString() : body;
}

/** The result of a worker: for a queue the number of processed messages, and always time, answer and sent messages. */
export function describeWork(
  { answer, milliseconds }: TimedAnswer,
  event: unknown,
  sent: readonly InboxEntry[],
): string {
  const { Records: messages } = event as Partial<SQSEvent>;
  const work = messages
    ? `${messages.length - failuresOf(answer)} of ${messages.length} messages processed`
    : "processed";
  const said = answer === undefined ? [] : [JSON.stringify(answer, null, 2)];
  const texts = sent.map(({ channel, to, subject, text }) => `${channel} to ${to}\n${subject ?? ""}\n${text ?? ""}`);
  return `${[`${work}  ${milliseconds.toFixed(0)} ms`, ...said, ...texts].join("\n\n")}\n`;
}

/** True if the handler succeeded: a status below 400, or a batch without failures. */
export function isSuccess({ answer }: TimedAnswer): boolean {
  const { statusCode = 200 } = (answer ?? {}) as APIGatewayProxyStructuredResultV2;
  return statusCode < 400 && failuresOf(answer) === 0;
}

function failuresOf(answer: unknown): number {
  return (answer as SQSBatchResponse | undefined)?.batchItemFailures?.length ?? 0;
}

function writeAside(chunk: string | Uint8Array, name: FunctionName): boolean {
  const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
  return process.stderr.write((process.stderr.isTTY ? `\x1b[2m${text}\x1b[22m` : text) + adviceOn(text, name));
}

/** The place of the settings that a function gets, if its log line says that it lacks one. */
function adviceOn(line: string, name: FunctionName): string {
  if (!/The setting \w+ is missing/.test(line)) return "";
  const file = Object.hasOwn(operationRows, name) ? "functions" : "worker-rows";
  return `${name} gets the settings that its row in infra/functions/${file}.ts names: add it there.\n`;
}
