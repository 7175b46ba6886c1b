import { pathToFileURL } from "node:url";
import type { APIGatewayProxyEventV2, DynamoDBStreamEvent, SQSEvent } from "aws-lambda";
import { readStreamRecord, requestOfStreamRecord, type StreamRecord } from "../../../shared/table/entity.ts";
import { pageFunction } from "../../functions/worker-rows.ts";
import type { WorkerCall } from "../../runtime/functions/work-report.ts";
import type { FrontRequest } from "../../runtime/gateway/http-server.ts";
import { parseJson } from "../../runtime/json-text.ts";
import { isOf, type LogLine, readLine } from "../../runtime/log-lines.ts";
import { messageOf } from "../../support/message-of.ts";
import { root } from "../../support/root.ts";
import { clip, maskBody, maskHeaders, maskQuery, maskText, maskValue } from "./mask.ts";
import type { RequestRow, RunView, StoryView } from "./views.ts";

/** A recorded call of a function, without its secrets. */
export interface PastCall extends RunView {
  messages: PastMessage[];
  /** The table changes in its batch. */
  eventIds: ReadonlySet<string>;
}

type PastMessage = RunView["messages"][number] & {
  /** The request that the message names, or else its own id. */
  requestId: string;
  title: string;
};

export interface PastRequest extends PastCall, Omit<RequestRow, "user" | "isBad"> {
  /** The user that its token or API key names, which nobody has verified; null without one. */
  bearer: number | null;
  /** The event that the function was called with, its body as text. */
  event: Omit<APIGatewayProxyEventV2, "headers" | "body"> & NonNullable<StoryView["event"]>;
  answer: NonNullable<StoryView["answer"]>;
  /** True if a secret, bytes that are no text or a part of the body was left out: it cannot be sent again. */
  isPartial: boolean;
}

export interface PastRun extends PastCall {
  records: number | undefined;
  /** The requests that led to it. */
  requestIds: ReadonlySet<string>;
}

/** A change of the table, and when it was seen. */
export type PastChange = StreamRecord & { at: number };

/** The newest requests, calls of workers and changes since the machine's start, in memory. */
export interface History {
  readonly requests: readonly PastRequest[];
  readonly runs: readonly PastRun[];
  readonly changes: readonly PastChange[];
  addRequest(request: FrontRequest): void;
  addRun(work: WorkerCall): void;
  /** Returns the changes as they were read. */
  addChanges(event: DynamoDBStreamEvent): readonly StreamRecord[];
}

const most = { requests: 500, runs: 1_000, changes: 2_000, characters: 32 * 1024 ** 2 };

export function openHistory(): History {
  const requests = openNewest<PastRequest>(most.requests, most.characters);
  const runs = openNewest<PastRun>(most.runs, most.characters);
  const changes = openNewest<PastChange>(most.changes, most.characters);
  return {
    requests: requests.list,
    runs: runs.list,
    changes: changes.list,
    addRequest(request) {
      const past = toPastRequest(request);
      // The files of the documentation page are no requests of an app.
      if (!past || past.functionName === pageFunction) return;
      requests.add(past);
    },
    addRun(work) {
      runs.add(toPastRun(work));
    },
    addChanges({ Records }) {
      const at = Date.now();
      const read = Records.map(readStreamRecord);
      for (const each of read) changes.add({ ...each, at });
      return read;
    },
  };
}

/** Keeps at most so many items, oldest first, and at most so many characters of them as JSON. */
function openNewest<T extends object>(count: number, characters: number) {
  const list: T[] = [];
  const lengths: number[] = [];
  let total = 0;
  return {
    list: list as readonly T[],
    add(item: T) {
      const { length } = JSON.stringify(item);
      list.push(item);
      lengths.push(length);
      total += length;
      while (list.length > count || total > characters) {
        list.shift();
        total -= lengths.shift() ?? 0;
      }
    },
  };
}

function toPastRequest({ event, answer, functionName = "", ...request }: FrontRequest): PastRequest | undefined {
  if (!event || !answer) return undefined;
  const { cookies: _, queryStringParameters, body, isBase64Encoded, headers, rawQueryString, ...rest } = event;
  const sent = body === undefined ? undefined : readText(Buffer.from(body, isBase64Encoded ? "base64" : "utf8"));
  const query = rawQueryString && maskQuery(rawQueryString);
  const isText = /json|text/.test(String(answer.headers["content-type"]));
  const answered = isText ? maskBody(answer.body.toString()) : `(${answer.body.length} bytes)`;
  return {
    id: event.requestContext.requestId,
    at: event.requestContext.timeEpoch,
    kind: "request",
    method: event.requestContext.http.method,
    functionName,
    event: {
      ...rest,
      headers: maskHeaders(headers),
      rawQueryString: query,
      ...(queryStringParameters && {
        queryStringParameters: maskValue(queryStringParameters) as Record<string, string>,
      }),
      ...(sent && { body: sent.kept }),
      isBase64Encoded: false,
    },
    target: `${encodePath(rest.rawPath)}${query && `?${query}`}`,
    status: request.status,
    code: request.code ?? null,
    milliseconds: request.milliseconds,
    bearer: bearerOf(headers.authorization),
    answer: { headers: maskHeaders(answer.headers), body: answer.body.length === 0 ? null : answered },
    isPartial: query !== rawQueryString || sent?.isWhole === false,
    lines: linesOf(request.output, functionName),
    error: describeError(request.error),
    messages: [],
    eventIds: new Set(),
  };
}

function bearerOf(authorization = ""): number | null {
  const [, ofKey] = /wfk_[0-9a-f]+_(\d+)_/.exec(authorization) ?? [];
  if (ofKey !== undefined) return Number(ofKey);
  const [, payload = ""] = authorization.split(".");
  const { sub } = (parseJson(Buffer.from(payload, "base64url").toString()) ?? {}) as { sub?: unknown };
  return Number(sub) || null;
}

/** Encodes a path so that it decodes to the same path and no browser takes it for another host. */
function encodePath(path: string): string {
  return encodeURI(path).replaceAll(/[?#]/g, encodeURIComponent).replace(/^\/\//, "/%2F");
}

/** The part of a body that may be kept, and whether that is all of it. */
function readText(bytes: Buffer): { kept: string; isWhole: boolean } {
  const text = bytes.toString();
  const kept = Buffer.from(text).equals(bytes) ? maskBody(text) : `(${bytes.length} bytes)`;
  return { kept, isWhole: kept === text };
}

function toPastRun({ functionName, event, records, milliseconds, output, error }: WorkerCall): PastRun {
  const lines = linesOf(output, functionName);
  const messages = messagesOf(event);
  const named = lines.flatMap(({ fields }) => [fields.request_id, fields.request_ids].flat());
  const { Records: changes = [] } = event as Partial<DynamoDBStreamEvent>;
  const ids = [
    ...named,
    ...messages.map(({ requestId }) => requestId),
    ...changes.flatMap((each) => (each.dynamodb && requestOfStreamRecord(each)) ?? []),
  ];
  return {
    at: Date.now() - milliseconds,
    functionName,
    records,
    milliseconds,
    error: describeError(error),
    lines,
    messages,
    eventIds: new Set(changes.flatMap(({ eventID = [] }) => eventID)),
    requestIds: new Set(ids.filter((id) => typeof id === "string")),
  };
}

function describeError(error: unknown): string | null {
  if (error === undefined) return null;
  const { errorType, trace } = error as { errorType?: string; trace?: string };
  const message = messageOf(error);
  const text = [errorType ? `${errorType}: ${message}` : message, ...(trace ? [trace] : [])].join("\n");
  return maskText(clip(fromRoot(text), mostOfOutput));
}

/** The most characters of a call's output that are kept. */
const mostOfOutput = 32 * 1024;

/** The lines of a call that are about a request. Lines without an id belong to each request of the call. */
export function linesAbout(lines: readonly LogLine[], requestId: string): LogLine[] {
  return lines.filter(
    (line) => isOf(line, requestId) || !("request_id" in line.fields || "request_ids" in line.fields),
  );
}

function linesOf(output: string, source: string): LogLine[] {
  const texts = clipLines(fromRoot(output)).split("\n");
  const lines = texts.filter((text) => text.trim() !== "").map((text) => readLine(text, { source, at: Date.now() }));
  return lines.map(({ fields, ...line }) => ({ ...line, fields: maskValue(fields) as LogLine["fields"] }));
}

/** A text with the places of sources as paths of the project. */
function fromRoot(text: string): string {
  return text.replaceAll(pathToFileURL(root).href, "").replaceAll(root, "");
}

/** Cuts at the end of a line: a cut JSON line would be plain text, whose secrets have no names. */
function clipLines(output: string): string {
  if (output.length <= mostOfOutput) return output;
  const end = output.lastIndexOf("\n", mostOfOutput) + 1;
  return clip(output, end);
}

const mostOfTitle = 200;

/** The messages of a queue's event, without their secrets; none for any other event. */
function messagesOf(event: unknown): PastMessage[] {
  const { Records = [] } = event as Partial<SQSEvent>;
  return Records.filter(({ body }) => typeof body === "string").map(
    ({ messageId, body, attributes, eventSourceARN }) => ({
      id: messageId,
      queue: queueTitle(eventSourceARN.split(":").at(-1) ?? ""),
      attempt: Number(attributes.ApproximateReceiveCount),
      body: maskBody(body),
      ...readFacts(body, messageId),
    }),
  );
}

/** The name of a queue as words, without the part that makes it unique among all stacks. */
function queueTitle(name: string): string {
  const own = name.replace(/(Queue)?[0-9A-F]{8}$/, "");
  return own.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** The request and title of a message. Other systems may send any text. */
function readFacts(body: string, messageId: string): Pick<PastMessage, "requestId" | "title"> {
  const { requestId, "detail-type": type, source } = (parseJson(body) ?? {}) as Record<string, unknown>;
  return {
    requestId: typeof requestId === "string" ? requestId : messageId,
    title: typeof type === "string" ? clip(maskText(`${type} from ${source}`), mostOfTitle) : "message",
  };
}
