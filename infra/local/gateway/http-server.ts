import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Inbox } from "../aws/inbox.ts";
import type { Invoke } from "../functions/environments.ts";
import { type HttpService, readBody, startHttpService } from "../http-service.ts";
import type { CorsRules, LocalRoute } from "../stack/template.ts";
import { corsHeaders, isPreflight, preflightHeaders } from "./cors.ts";
import { type GatewayAnswer, gatewayAnswer, gatewayRefusal, writeAnswer } from "./gateway-answer.ts";
import { gatewayEvent, splitTarget } from "./gateway-event.ts";
import { inboxPagePolicy, renderInboxPage } from "./inbox-page.ts";
import { createRouteTable } from "./route-table.ts";

/** One answered request, for a developer's eyes; it carries no values of the query. */
export interface FrontRequest {
  method: string;
  path: string;
  queryNames: readonly string[];
  status: number;
  /** The stable code of a refusal. */
  code: string | undefined;
  /** The id that logs and problem documents have of it; undefined where no function was asked. */
  requestId: string | undefined;
  /** What the function wrote. */
  output: string;
  milliseconds: number;
  functionName: string | undefined;
  /** Why the answer is a 500 of the gateway itself. */
  error?: unknown;
}

/** The routes, the functions behind them, and a callback for each request. */
export interface FrontOptions {
  port: number;
  routes: LocalRoute[];
  cors: CorsRules | undefined;
  inbox: Inbox;
  /** Answers calls of EventBridge, which `/_local/events` takes: an address that stays the same at every start. */
  answerEvents?: RequestListener;
  invoke: Invoke;
  onRequest?(request: FrontRequest): void;
}

/** The HTTP API as it is served. */
export interface Front extends HttpService {
  /** Takes other routes and CORS rules: they hold from the next request on. */
  replace(given: Pick<FrontOptions, "routes" | "cors">): void;
}

const bodyLimit = 10 * 1024 * 1024;

/** Serves the stack's HTTP API on 127.0.0.1 as API Gateway does, inbox and event bus under `/_local/`. */
export async function startFront(options: FrontOptions): Promise<Front> {
  let match = createRouteTable(options.routes);
  let { cors } = options;

  const answerApi = async (request: IncomingMessage, report: FrontRequest): Promise<GatewayAnswer> => {
    const body = await readBody(request, bodyLimit);
    if (body === undefined) return gatewayRefusal(413);
    const matched = match(report.method, report.path);
    if (!matched) return gatewayRefusal(404);
    report.functionName = matched.route.functionName;
    const event = gatewayEvent(request, body, matched);
    report.requestId = event.requestContext.requestId;
    try {
      const result = await options.invoke(report.functionName, event, (text) => {
        report.output += text;
      });
      report.code = refusalCode(result);
      return gatewayAnswer(result);
    } catch (error) {
      report.error = error;
      return gatewayRefusal(500);
    }
  };

  const answer = async (request: IncomingMessage, report: FrontRequest): Promise<GatewayAnswer> => {
    if (cors && isPreflight(request.method, request.headers)) {
      return { status: 204, headers: preflightHeaders(cors, request.headers), body: Buffer.alloc(0) };
    }
    const given = await answerApi(request, report);
    if (!cors) return given;
    // The gateway's own CORS headers replace those of the function.
    const kept = Object.entries(given.headers).filter(([name]) => !name.startsWith("access-control-"));
    return { ...given, headers: { ...Object.fromEntries(kept), ...corsHeaders(cors, request.headers) } };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const began = performance.now();
    const { path, query } = splitTarget(request.url ?? "/");
    if (options.answerEvents && /^\/_local\/events\/?$/.test(path)) return options.answerEvents(request, response);
    if (path.startsWith("/_local/")) return writeAnswer(response, answerLocal(request, path, options.inbox));
    const report: FrontRequest = {
      method: request.method ?? "",
      path,
      queryNames: [...new Set(new URLSearchParams(query).keys())],
      status: 0,
      code: undefined,
      requestId: undefined,
      output: "",
      milliseconds: 0,
      functionName: undefined,
    };
    writeAnswer(response, await answer(request, report));
    options.onRequest?.({ ...report, status: response.statusCode, milliseconds: performance.now() - began });
  };
  const service = await startHttpService((request, response) => {
    // Only a caller that went away while sending ends here.
    serve(request, response).catch(() => response.destroy());
  }, options.port);
  const replace: Front["replace"] = (given) => {
    match = createRouteTable(given.routes);
    cors = given.cors;
  };
  return { ...service, replace };
}

/** The code in a problem document; undefined where the answer is none, or not what it says it is. */
function refusalCode(result: unknown): string | undefined {
  const { headers, body } = (result ?? {}) as { headers?: Record<string, unknown>; body?: unknown };
  if (!String(headers?.["content-type"]).startsWith("application/problem+json")) return undefined;
  return /"code":"(\w+)"/.exec(String(body))?.[1];
}

function answerLocal(request: IncomingMessage, path: string, inbox: Inbox): GatewayAnswer {
  const readable = request.headers.accept?.includes("text/html") || path.endsWith(".html");
  if (request.method !== "GET" || !/^\/_local\/inbox(\.html)?$/.test(path)) return gatewayRefusal(404);
  const type = readable ? "text/html; charset=utf-8" : "application/json; charset=utf-8";
  const text = readable ? renderInboxPage(inbox.entries()) : JSON.stringify(inbox.entries(), null, 2);
  const headers = {
    "content-type": type,
    "cache-control": "no-store",
    "content-security-policy": inboxPagePolicy,
    "x-content-type-options": "nosniff",
  };
  return { status: 200, headers, body: Buffer.from(text) };
}
