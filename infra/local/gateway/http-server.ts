import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Inbox } from "../aws/inbox.ts";
import { type HttpService, readBody, startHttpService } from "../http-service.ts";
import type { CorsRules, LocalRoute } from "../stack/template.ts";
import { corsHeaders, isPreflight, preflightHeaders } from "./cors.ts";
import { type GatewayAnswer, gatewayAnswer, gatewayRefusal, writeAnswer } from "./gateway-answer.ts";
import { gatewayEvent, splitTarget } from "./gateway-event.ts";
import { inboxPagePolicy, renderInboxPage } from "./inbox-page.ts";
import { createRouteTable } from "./route-table.ts";

/** One answered request, for a developer's eyes; it carries no query string. */
export interface FrontRequest {
  method: string;
  path: string;
  status: number;
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
  invoke(functionName: string, event: unknown): Promise<unknown>;
  onRequest?(request: FrontRequest): void;
}

const bodyLimit = 10 * 1024 * 1024;

/** Serves the stack's HTTP API on 127.0.0.1 as API Gateway does, inbox and event bus under `/_local/`. */
export function startFront(options: FrontOptions): Promise<HttpService> {
  const match = createRouteTable(options.routes);

  const answerApi = async (request: IncomingMessage, report: FrontRequest): Promise<GatewayAnswer> => {
    const body = await readBody(request, bodyLimit);
    if (body === undefined) return gatewayRefusal(413);
    const matched = match(report.method, report.path);
    if (!matched) return gatewayRefusal(404);
    report.functionName = matched.route.functionName;
    try {
      return gatewayAnswer(await options.invoke(report.functionName, gatewayEvent(request, body, matched)));
    } catch (error) {
      report.error = error;
      return gatewayRefusal(500);
    }
  };

  const answer = async (request: IncomingMessage, report: FrontRequest): Promise<GatewayAnswer> => {
    const { cors } = options;
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
    const { path } = splitTarget(request.url ?? "/");
    if (options.answerEvents && /^\/_local\/events\/?$/.test(path)) return options.answerEvents(request, response);
    if (path.startsWith("/_local/")) return writeAnswer(response, answerLocal(request, path, options.inbox));
    const report: FrontRequest = {
      method: request.method ?? "",
      path,
      status: 0,
      milliseconds: 0,
      functionName: undefined,
    };
    writeAnswer(response, await answer(request, report));
    options.onRequest?.({ ...report, status: response.statusCode, milliseconds: performance.now() - began });
  };
  return startHttpService((request, response) => {
    // Only a caller that went away while sending ends here.
    serve(request, response).catch(() => response.destroy());
  }, options.port);
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
