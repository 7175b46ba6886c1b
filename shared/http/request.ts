import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Caller } from "../domain/caller.ts";

/** A request on its way through the middlewares: what API Gateway sent, and what they found out. */
export interface HttpEvent extends Omit<APIGatewayProxyEventV2, "body"> {
  /** The body as sent; once parsed, its JSON value. */
  body?: unknown;
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
export function requestIdOf(request: Pick<HttpRequest, "event" | "context">): string {
  return request.event.requestContext?.requestId ?? request.context?.awsRequestId ?? "none";
}
