import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Invoke } from "../functions/environments.ts";
import { type HttpService, readBody, startHttpService } from "../http-service.ts";
import type { CorsRules, LocalStack } from "../stack/template.ts";
import { corsHeaders, isAllowed, isPreflight, preflightHeaders } from "./cors.ts";
import { type GatewayAnswer, gatewayAnswer, gatewayRefusal, writeAnswer } from "./gateway-answer.ts";
import { gatewayEvent, splitTarget } from "./gateway-event.ts";
import { findRoute } from "./route-table.ts";

/** One answered request, as developers are shown it. Its printable parts contain no values of the query. */
export interface FrontRequest {
  method: string;
  path: string;
  queryNames: readonly string[];
  status: number;
  /** The stable code of a refusal. */
  code?: string | undefined;
  /** The id in logs and problem documents; undefined if no function was called. */
  requestId?: string | undefined;
  output: string;
  milliseconds: number;
  functionName?: string | undefined;
  /** The origin of the page that sent it, if the browser withholds the answer from that page. */
  refusedOrigin?: string | undefined;
  /** The function's event and the whole answer; undefined if no function was called. */
  event?: APIGatewayProxyEventV2;
  answer?: GatewayAnswer;
  /** The reason for a 500 of the gateway itself. */
  error?: unknown;
}

export interface FrontOptions {
  port: number;
  /** The stack as it is at this moment. */
  stack(): Pick<LocalStack, "routes" | "cors">;
  /** Answers requests below `/_local`, which are not part of the API. */
  answerLocal: RequestListener;
  lan?: boolean;
  invoke: Invoke;
  onRequest?(request: FrontRequest): void;
}

type Report = Omit<FrontRequest, "status" | "milliseconds">;

/** Serves the stack's HTTP API as API Gateway does, and the desk under `/_local/`. */
export function startFront(options: FrontOptions): Promise<HttpService> {
  const answerApi = async (request: IncomingMessage, report: Report): Promise<GatewayAnswer> => {
    const body = await readBody(request);
    if (body === undefined) return gatewayRefusal(413);
    const matched = findRoute(options.stack().routes, report.method, report.path);
    if (!matched) return gatewayRefusal(404);
    report.functionName = matched.route.functionName;
    const event = gatewayEvent(request, body, matched);
    report.event = event;
    report.requestId = event.requestContext.requestId;
    try {
      const result = await options.invoke(report.functionName, event, (text) => {
        report.output += text;
      });
      report.code = refusalCode(result);
      return gatewayAnswer(result);
    } catch (error) {
      report.error = error;
      // A function that fails answers as in AWS; one that does not compile exists only here.
      return gatewayRefusal(500, error instanceof Error && "errors" in error ? error.message : undefined);
    }
  };

  const answer = async (request: IncomingMessage, report: Report): Promise<GatewayAnswer> => {
    const { cors } = options.stack();
    if (isPreflight(request.method, request.headers)) {
      return { status: 204, headers: preflightHeaders(cors, request.headers), body: Buffer.of() };
    }
    const given = await answerApi(request, report);
    // The gateway's own CORS headers replace those of the function.
    const kept = Object.entries(given.headers).filter(([name]) => !name.startsWith("access-control-"));
    const { vary, ...own } = corsHeaders(cors, request.headers);
    const varies = [given.headers.vary, vary].filter((each) => each !== undefined).join(", ");
    return { ...given, headers: { ...Object.fromEntries(kept), ...own, ...(varies && { vary: varies }) } };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const began = performance.now();
    const { path, query } = splitTarget(request.url ?? "/");
    if (/^\/_local(\/|$)/.test(path)) return options.answerLocal(request, response);
    const report: Report = {
      method: request.method ?? "",
      path,
      queryNames: [...new Set(new URLSearchParams(query).keys())],
      output: "",
      refusedOrigin: refusedOrigin(options.stack().cors, request.headers),
    };
    report.answer = await answer(request, report);
    writeAnswer(response, report.answer);
    options.onRequest?.({ ...report, status: response.statusCode, milliseconds: performance.now() - began });
  };
  return startHttpService((request, response) => {
    // Rejects only if the caller disconnects while sending.
    serve(request, response).catch(() => response.destroy());
  }, options);
}

/** The origin of a page that may not read the answer; undefined for pages of the machine itself. */
function refusedOrigin(cors: CorsRules, { origin, host }: IncomingMessage["headers"]): string | undefined {
  if (origin === undefined || origin === `http://${host}`) return undefined;
  return isAllowed(cors, origin) ? undefined : origin;
}

function refusalCode(result: unknown): string | undefined {
  const { headers, body } = result as { headers?: Record<string, unknown>; body?: unknown };
  if (!String(headers?.["content-type"]).startsWith("application/problem+json")) return undefined;
  return /"code":"(\w+)"/.exec(String(body))?.[1];
}
