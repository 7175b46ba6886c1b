import type { Context } from "aws-lambda";
import type { Operation } from "../../../shared/contract/operation.ts";
import type { HttpHandler } from "../../../shared/http/endpoint.ts";
import type { HttpEvent } from "../../../shared/http/event.ts";
import { type TestUser, tokenOf } from "../tokens/tokens.ts";
import { expectDescribed } from "./described-answers.ts";

/** A request that a test sends to a handler. */
export interface TestRequest {
  /** The user whose token is sent. */
  readonly as?: TestUser;
  readonly headers?: Record<string, string>;
  /** The parameters in the path. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
  /** Address of the client; every request comes from one of its own unless it says otherwise. */
  readonly from?: string;
  /** The time that the function may still run; all of an endpoint's time unless it says otherwise. */
  readonly remainingMs?: number;
}

let lastAddress = 0;

/** The handler's answer. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  // Answers are looked into field by field; their types are what the tests assert.
  // biome-ignore lint/suspicious/noExplicitAny: a parsed answer of any operation
  readonly body: any;
}

/** Calls a handler the way API Gateway does, and holds its answer against the OpenAPI document. */
export async function call(handler: HttpHandler, operation: Operation, request: TestRequest = {}): Promise<TestAnswer> {
  const event = await eventOf(operation, request);
  const { remainingMs = 29_000 } = request;
  const context = { awsRequestId: "lambda-request", getRemainingTimeInMillis: () => remainingMs };
  const answer = await handler(event, context as Context);
  const headers = Object.fromEntries(
    Object.entries(answer.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
  const given = { status: answer.statusCode ?? 0, headers, body: JSON.parse(answer.body ?? "null") };
  expectDescribed(operation, given);
  return given;
}

/** The event that API Gateway's HTTP API sends for a request, payload 2.0. */
export async function eventOf(operation: Operation, request: TestRequest): Promise<HttpEvent> {
  const { as, body } = request;
  const given = Object.entries(request.query ?? {}).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const query = Object.fromEntries(given);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(request.parameters?.[name] ?? name),
  );
  const authorization = as ? { authorization: `Bearer ${await tokenOf(as)}` } : {};
  const contentType = body === undefined ? {} : { "content-type": "application/json" };
  const event = {
    version: "2.0",
    routeKey: `${operation.method} ${operation.path}`,
    rawPath: path,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: { accept: "application/json", ...contentType, ...authorization, ...request.headers },
    ...(request.parameters && { pathParameters: request.parameters }),
    ...(request.query && { queryStringParameters: query }),
    requestContext: {
      domainName: "api.example.com",
      requestId: crypto.randomUUID(),
      http: {
        method: operation.method,
        path,
        protocol: "HTTP/1.1",
        sourceIp: request.from ?? newAddress(),
        userAgent: "test",
      },
    },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    isBase64Encoded: request.isBase64Encoded ?? false,
  };
  return event as unknown as HttpEvent;
}

function newAddress(): string {
  lastAddress += 1;
  return [10, lastAddress >> 16, (lastAddress >> 8) & 255, lastAddress & 255].join(".");
}
