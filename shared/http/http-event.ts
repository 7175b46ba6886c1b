import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Caller } from "../domain/caller.ts";
import type { Change } from "../domain/records/change.ts";

/** API Gateway's event of a request. */
export interface GatewayEvent extends Omit<APIGatewayProxyEventV2, "body"> {
  /** The body as sent; once parsed, its JSON value. */
  body?: unknown;
}

/** A request between the middlewares: API Gateway's event, and the results of earlier middlewares. */
export interface HttpEvent extends GatewayEvent {
  /** In milliseconds of `performance`. */
  readonly startedAt: number;
  /** The change that the request begins; authentication says who makes it. */
  change: Change;
  /** Set by authentication. */
  caller?: Caller;
  /** Set by validation. */
  input?: { readonly parameters: unknown; readonly query: unknown; readonly body: unknown };
}

/** The answer API Gateway gets. */
export type HttpAnswer = APIGatewayProxyStructuredResultV2;

/** A middy request of this service. */
export interface HttpRequest {
  event: HttpEvent;
  context: Context;
  response: HttpAnswer | null | undefined;
  error: Error | null | undefined;
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
