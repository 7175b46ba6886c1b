import middy, { type MiddlewareObj } from "@middy/core";
import headerNormalizer from "@middy/http-header-normalizer";
import type { Context } from "aws-lambda";
import type {
  AnonymousOperation,
  Body,
  Operation,
  Parameters,
  Query,
  SignedInOperation,
} from "../contract/operation.ts";
import type { Caller } from "../domain/caller.ts";
import { routeNotFound } from "../domain/refusal.ts";
import { type Reply, successAnswer } from "./answer.ts";
import { authenticate } from "./authenticate.ts";
import { limitSizes } from "./limits.ts";
import { parseBody } from "./parse-body.ts";
import { answerProblems } from "./problem.ts";
import { type HttpAnswer, type HttpEvent, type HttpRequest, requestIdOf } from "./request.ts";
import { logRequests } from "./request-log.ts";
import { validate } from "./validate.ts";

/** What an operation's function gets of a request from anyone: validated input and the time it came in. */
export interface AnonymousRequest<O extends Operation> {
  readonly parameters: Parameters<O>;
  readonly query: Query<O>;
  readonly body: Body<O>;
  readonly now: Date;
  /** Address the request came from, as API Gateway saw it; never what a header claims. */
  readonly clientAddress: string;
  /** Id that the caller can quote and an engineer can find in the logs. */
  readonly requestId: string;
}

/** What an operation's function gets of a request from a signed-in user. */
export interface SignedInRequest<O extends Operation> extends AnonymousRequest<O> {
  readonly caller: Caller;
}

/** A request's way through the service, which its answer belongs to. */
export type Passage = Pick<HttpRequest, "event" | "context">;

/** A Lambda handler for API Gateway's HTTP API, payload 2.0. */
export type HttpHandler = (event: HttpEvent, context: Context) => Promise<HttpAnswer>;

/** The handler of an operation that needs a bearer token. */
export function authenticated<O extends SignedInOperation>(
  operation: O,
  handle: (request: SignedInRequest<O>) => Promise<Reply<O>>,
): HttpHandler {
  return forSignedInAnswer(operation, async (request: SignedInRequest<O>, passage) =>
    successAnswer(operation, await handle(request), passage),
  );
}

/** The handler of an operation that needs a bearer token, of which `respond` makes the whole answer. */
export function forSignedInAnswer<O extends SignedInOperation>(
  operation: O,
  respond: (request: SignedInRequest<O>, passage: Passage) => Promise<HttpAnswer>,
): HttpHandler {
  return chain(operation, [authenticate(operation)], (event, context) => {
    if (!event.caller) throw new Error("A signed-in operation ran without a caller");
    return respond({ ...requestOf<O>(event, context), caller: event.caller }, { event, context });
  });
}

/**
 * The handler of an operation that anyone may call: it has no caller to touch. Where the stage `closes` the operation, it
 * answers as a path that does not exist, whatever else the request is.
 */
export function anonymous<O extends AnonymousOperation>(
  operation: O,
  handle: (request: AnonymousRequest<O>) => Promise<Reply<O>>,
  { closes = () => false }: { closes?: () => boolean } = {},
): HttpHandler {
  const respond = async (event: HttpEvent, context: Context) =>
    successAnswer(operation, await handle(requestOf<O>(event, context)), { event, context });
  return chain(operation, [], respond, closes);
}

/** The handler for requests that no route takes: whatever comes, it refuses. */
export function forUnrouted(name: string, refuse: (method: string, path: string) => never): HttpHandler {
  return compose([logRequests({ name }), answerProblems({ name })], async ({ requestContext, rawPath }) =>
    refuse(requestContext.http.method, rawPath),
  );
}

/** The one chain of middlewares. Refusals come in the order the contract promises: 404, size, 401, 403, 415, 400, 422 (D31). */
function chain<O extends Operation>(
  operation: O,
  access: readonly object[],
  respond: (event: HttpEvent, context: Context) => Promise<HttpAnswer>,
  closes: () => boolean = () => false,
): HttpHandler {
  const middlewares = [
    logRequests(operation),
    answerProblems(operation),
    refuseWhereClosed(closes),
    headerNormalizer(),
    limitSizes(),
    ...access,
    ...(operation.body ? [parseBody(operation.body)] : []),
    validate(operation),
  ];
  return compose(middlewares, respond);
}

function refuseWhereClosed(closes: () => boolean) {
  return {
    before(): void {
      if (closes()) throw routeNotFound();
    },
  };
}

function compose(middlewares: readonly object[], handler: HttpHandler): HttpHandler {
  const chained = middy<HttpEvent, HttpAnswer>().use(middlewares as MiddlewareObj<HttpEvent, HttpAnswer>[]);
  return chained.handler(handler) as unknown as HttpHandler;
}

function requestOf<O extends Operation>(event: HttpEvent, context: Context): AnonymousRequest<O> {
  const { parameters, query, body } = event.input ?? {};
  const requestId = requestIdOf({ event, context });
  const clientAddress = event.requestContext.http.sourceIp;
  return {
    parameters: parameters as Parameters<O>,
    query: query as Query<O>,
    body: body as Body<O>,
    now: new Date(),
    clientAddress,
    requestId,
  };
}
