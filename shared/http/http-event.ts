import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Caller, Change } from "../contract/operation.ts";

/** API Gateway's event of a request. */
export type GatewayEvent = APIGatewayProxyEventV2;

/** A request between the middlewares: API Gateway's event, and the results of earlier middlewares. */
export interface HttpEvent extends GatewayEvent {
  /** In milliseconds of `uptimeMs`. */
  readonly startedAt: number;
  /** The change that the request begins; authentication says who makes it. */
  change: Change;
  /** Set by authentication. */
  caller?: Caller;
  /** The outer object of the body as sent, set once it is parsed. */
  sent?: Readonly<Record<string, unknown>>;
  /** Set by validation. */
  input?: { readonly parameters: unknown; readonly query: unknown; readonly body: unknown };
}

/** The answer API Gateway gets. */
export type HttpAnswer = APIGatewayProxyStructuredResultV2;

/** A step of the chain that every request takes. */
export type Step = MiddlewareObj<HttpEvent, HttpAnswer>;

/** A request as a step gets it. */
export interface HttpRequest {
  event: HttpEvent;
  context: Context;
  response: HttpAnswer | null | undefined;
  error: Error | null | undefined;
}

/**
 * Throws an error that says what is expected for any other event: of a REST API, a load balancer or a schedule, or a test
 * event of the console. A function URL sends the same as an HTTP API.
 */
export function requireHttpEvent(operation: string, event: unknown): asserts event is GatewayEvent {
  const { version, rawPath, rawQueryString, headers, requestContext } = (event ?? {}) as Partial<GatewayEvent>;
  const isOfHttpApi = version === "2.0" && requestContext?.http !== undefined && Boolean(headers);
  if (isOfHttpApi && typeof rawPath === "string" && typeof rawQueryString === "string") return;
  throw new Error(`${operation} expects an event of API Gateway's HTTP API, payload 2.0`);
}

/** Id that a caller can quote and an engineer can find in the logs. */
export function requestIdOf({ requestContext }: GatewayEvent): string {
  return requestContext.requestId;
}

/** The caller of a signed-in operation, as set by authentication. */
export function requireCaller({ caller }: HttpEvent): Caller {
  if (!caller) throw new Error("A signed-in operation ran without a caller");
  return caller;
}
