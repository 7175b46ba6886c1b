import middy, { type MiddyfiedHandler } from "@middy/core";
import headerNormalizer from "@middy/http-header-normalizer";
import jsonBodyParser from "@middy/http-json-body-parser";
import type { Context } from "aws-lambda";
import type { RequestKey } from "../contract/operation.ts";
import {
  type AnonymousOperation,
  type Body,
  type BodyContract,
  type Caller,
  type CallerKey,
  type IdempotentOperation,
  type Operation,
  type Parameters,
  type Query,
  type SessionOperation,
  type SignedInOperation,
  scopeOf,
  type TokenOperation,
} from "../contract/operation.ts";
import { Refusal, routeNotFound } from "../contract/refusals.ts";
import { findKeyHolder, isApiKey, type KeyHolder, keyNotAllowed } from "../people/api-keys.ts";
import { requireActing } from "../people/sessions.ts";
import { type Account, findAccount } from "../people/users.ts";
import { beginChange, byUser, type Change, keyedChangeId } from "../run/change.ts";
import { carryOut, uptimeMs } from "../run/log.ts";
import { verifyAccessToken } from "../tokens/access.ts";
import { hmacKey } from "../tokens/secrets.ts";
import { answerProblems, commonHeaders, type Reply, successAnswer } from "./answer.ts";
import {
  type GatewayEvent,
  type HttpAnswer,
  type HttpEvent,
  type HttpRequest,
  logRequests,
  requestIdOf,
  requireCaller,
  requireHttpEvent,
  type Sender,
  type Step,
} from "./event.ts";
import { decodeBody, requireJson, requireObject, validate } from "./input.ts";

/** More than any operation needs: 90 ids and their texts are a few KB (D33). */
export const maxBodyBytes = 256 * 1024;
/** A cursor has 200 characters, a filter some hundred (D33). */
export const maxQueryBytes = 4 * 1024;

/** Middleware: refuses bodies above 256 KiB and query strings above 4 KiB (D33). */
function limitSizes() {
  return {
    before({ event }: HttpRequest): void {
      const encoding = event.isBase64Encoded ? "base64" : "utf8";
      if (Buffer.byteLength(event.body ?? "", encoding) > maxBodyBytes) {
        throw new Refusal("body_too_large", "The body must not exceed 256 KiB");
      }
      if (Buffer.byteLength(event.rawQueryString) > maxQueryBytes) {
        throw new Refusal("query_too_long", "The query string must not exceed 4 KiB");
      }
    },
  };
}

/**
 * Middleware: finds the caller behind the bearer token or API key, and refuses keys and roles that the operation does not name
 * (D2–D4, D46).
 */
function authenticate(operation: SignedInOperation) {
  return {
    async before({ event }: HttpRequest): Promise<void> {
      const { caller, account } = await findCaller(bearerToken(event.headers.authorization), new Date());
      // Before the check, so that the log says who was refused.
      event.caller = caller;
      if (account) event.holder = account;
      authorize(operation, caller);
      event.change = byUser(event.change, caller.userId, caller.key?.id);
    },
  };
}

async function findCaller(token: string, now: Date): Promise<Partial<KeyHolder> & Pick<KeyHolder, "caller">> {
  return isApiKey(token) ? findKeyHolder(token, now) : { caller: await verifyAccessToken(token, now) };
}

function bearerToken(authorization: string | undefined): string {
  if (!authorization) throw new Refusal("token_missing", "Send an access token: Authorization: Bearer <ACCESS_TOKEN>");
  const [, token] = /^Bearer {1,2}([^ ]+)$/i.exec(authorization) ?? [];
  if (!token) throw new Refusal("token_invalid", "The Authorization header must read: Bearer <ACCESS_TOKEN>");
  return token;
}

function authorize(operation: SignedInOperation, caller: Caller): void {
  if (caller.key) requireKeyAccess(operation, caller.key);
  if (!operation.access.includes(caller.role)) {
    throw new Refusal("role_not_allowed", `Requires one of the roles: ${operation.access.join(", ")}`);
  }
  if (operation.companyBound && caller.role !== "driver" && scopeOf(caller) === null) {
    throw new Refusal("company_required", "Requires a user who belongs to a company");
  }
}

function requireKeyAccess({ keys }: SignedInOperation, { access }: CallerKey): void {
  if (keys === "read" || (keys === "act" && access === "act")) return;
  throw keyNotAllowed(
    keys === "act" ? "This API key may only read; it needs the access act" : "No API key may call this: sign in",
  );
}

/** Reads the `Idempotency-Key` of a valid request; undefined without one, and then no secret is read (D32). */
async function readKey({ name }: Pick<Operation, "name">, event: HttpEvent): Promise<RequestKey | undefined> {
  const key = event.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw invalidKey();
  const caller = requireCaller(event);
  const changeId = keyedChangeId({ userId: caller.userId, operation: name, key }, new Date());
  return { changeId, ...(await fingerprintOf(caller, name, event.input)) };
}

function invalidKey(): Refusal {
  return new Refusal("fields_invalid", "Invalid: Idempotency-Key", {
    errors: [{ header: "Idempotency-Key", code: "invalid", detail: "must be 1 to 255 visible ASCII characters" }],
  });
}

/**
 * The keyed hash of who sent what, after validation: the same however the JSON was written. A user in another role or
 * company is another caller. The passcode is checked apart, and is not compared.
 */
async function fingerprintOf(caller: Caller, operation: string, input: HttpEvent["input"]) {
  const { userId, role, companyId } = caller;
  const hmac = await hmacKey();
  const sent = `${userId}|${role}|${companyId}|${operation}|${JSON.stringify({ ...input, body: withoutPasscode(input?.body) })}`;
  return {
    fingerprint: hmac.sign("idempotency", sent),
    matches: (stored: string) => hmac.verify("idempotency", sent, stored),
  };
}

function withoutPasscode(body: unknown): unknown {
  const { passcode: _checked, ...fields } = (body ?? {}) as Record<string, unknown>;
  return fields;
}

/** A request from anyone as an operation's function gets it: validated input and the time of arrival. */
export interface AnonymousRequest<O extends Operation> {
  readonly parameters: Parameters<O>;
  readonly query: Query<O>;
  readonly body: Body<O>;
  readonly now: Date;
  /** The change that its writes are. */
  readonly change: Change;
  /** Id that the caller can quote and an engineer can find in the logs. */
  readonly requestId: string;
  /** Read by `clientAddressOf` and `clientProofOf`; nothing of it is validated. */
  readonly sender: Sender;
  /** The number of milliseconds that the function may still run. */
  readonly remainingMs: () => number;
}

/** A signed-in user's request as an operation's function gets it. */
interface SignedInRequest<O extends Operation> extends AnonymousRequest<O> {
  readonly caller: Caller;
  /** The caller's account, if the request came with an API key (D46). */
  readonly holder: Account | undefined;
}

/** A signed-in user's request to change something of their own, as its function gets it. */
interface SessionRequest<O extends Operation> extends SignedInRequest<O> {
  /** The caller's account, whose session is live (D4) or whose API key is valid (D46). */
  readonly actor: Account;
}

/** A signed-in user's request that may carry an `Idempotency-Key`, as an operation's function gets it (D32). */
interface IdempotentRequest<O extends Operation> extends SessionRequest<O> {
  /** Recognises repetitions of the request; undefined without an Idempotency-Key. */
  readonly key: RequestKey | undefined;
}

/**
 * The two steps of an operation that changes something: `read` runs beside the check of the caller, so it has no change to
 * write as; `write` follows both. A refusal by the check precedes one by `read`.
 */
interface Steps<O extends Operation, Request extends SessionRequest<O>, Found> {
  readonly read: (request: Omit<Request, "actor" | "change">) => Promise<Found>;
  readonly write: (request: Request, found: Found) => Promise<Reply<O>>;
}

/** An operation's check of the caller beyond the access token. It refuses a caller who does not pass, and gives the account of others. */
interface Authorization<O extends Operation> {
  readonly authorize: (request: Omit<SignedInRequest<O>, "change">) => Promise<Account>;
}

/** The check of operations that have none of their own: the session is live, and role and company are the token's (D4). */
const ofSession = async ({ caller, holder, now }: Pick<SignedInRequest<Operation>, "caller" | "holder" | "now">) =>
  holder ?? requireActing(caller, findAccount, now);

/** A Lambda handler for API Gateway's HTTP API, payload 2.0. */
export type HttpHandler = (event: GatewayEvent, context: Context) => Promise<HttpAnswer>;

/** The handler of an operation that needs a bearer token, and no live session. */
export function authenticated<O extends TokenOperation>(
  operation: O,
  handle: (request: SignedInRequest<O>) => Promise<Reply<O>>,
  { closes }: Closing = {},
): HttpHandler {
  return chain(operation, { closes, access: authenticate(operation) }, (event, context) =>
    handle(signedInRequestOf<O>(event, context)),
  );
}

/** The handler of an operation that needs a live session (D4). */
export function inSession<O extends SessionOperation, Found>(
  operation: O,
  steps: Closing & Steps<O, SessionRequest<O>, Found>,
): HttpHandler {
  return acting(operation, { ...steps, authorize: ofSession, keyOf: async () => undefined });
}

/** The handler of one whose requests with an `Idempotency-Key` make their change once (D32). */
export function idempotent<O extends IdempotentOperation, Found>(
  operation: O,
  steps: Partial<Authorization<O>> & Steps<O, IdempotentRequest<O>, Found>,
): HttpHandler {
  return acting(operation, { authorize: ofSession, ...steps, keyOf: readKey });
}

function acting<O extends SessionOperation, Found>(
  operation: O,
  {
    authorize,
    closes,
    keyOf,
    read,
    write,
  }: Authorization<O> & Closing & Steps<O, IdempotentRequest<O>, Found> & { readonly keyOf: typeof readKey },
): HttpHandler {
  return chain(operation, { closes, access: authenticate(operation) }, async (event, context) => {
    const key = await keyOf(operation, event);
    const { change: begun, ...asked } = { ...signedInRequestOf<O>(event, context), key };
    const change = { ...begun, ...(key && { id: key.changeId }) };
    const reading = (async () => read(asked))();
    const [authorized] = await Promise.allSettled([authorize(asked), reading]);
    if (authorized.status === "rejected") throw authorized.reason;
    return write({ ...asked, change, actor: authorized.value }, await reading);
  });
}

/**
 * The handler of an operation that anyone may call. `headers` are those of its answers that other operations do not have.
 */
export function anonymous<O extends AnonymousOperation>(
  operation: O,
  handle: (request: AnonymousRequest<O>) => Promise<Reply<O>>,
  { closes, headers }: Closing & Pick<Variation<O>, "headers"> = {},
): HttpHandler {
  return chain(operation, { closes, headers }, (event, context) => handle(requestOf<O>(event, context)));
}

/** The handler for requests that match no route. It refuses them all. */
export function forUnrouted(name: string, refuse: (method: string, path: string) => never): HttpHandler {
  const chained = middy<HttpEvent, HttpAnswer>()
    .use(logRequests({ name }))
    .use(answerProblems())
    .handler(({ requestContext, rawPath }: HttpEvent) => refuse(requestContext.http.method, rawPath));
  return begun(name, chained);
}

/**
 * The handler for files, which are not operations. `answer` finds a file or refuses. The file's headers override those
 * of all answers.
 */
export function forFiles(name: string, answer: (event: HttpEvent) => HttpAnswer): HttpHandler {
  const chained = middy<HttpEvent, HttpAnswer>()
    .use(logRequests({ name }))
    .use(answerProblems())
    .handler(async (event: HttpEvent) => {
      const found = answer(event);
      return { ...found, headers: { ...commonHeaders(event), ...found.headers } };
    });
  return begun(name, chained);
}

/** If the stage `closes` an operation, every request is answered as if the path did not exist. */
interface Closing {
  readonly closes?: (() => boolean) | undefined;
}

/** The parts of a chain that not all endpoints have. */
interface Variation<O extends Operation> extends Closing {
  /** Identifies the caller. */
  readonly access?: Step;
  /** The headers of a successful answer, besides those of its other facts. */
  readonly headers?: ((reply: Reply<O>) => Readonly<Record<string, string>>) | undefined;
}

const nothing: Step = { before() {} };

/** The steps of every operation. Refusals come in the order that the contract promises (D31). */
function chain<O extends Operation>(
  operation: O,
  { closes = () => false, access = nothing, headers = () => ({}) }: Variation<O>,
  handle: (event: HttpEvent, context: Context) => Promise<Reply<O>>,
): HttpHandler {
  const { body } = operation;
  const ofBody = (step: (contract: BodyContract) => Step) => (body ? step(body) : nothing);
  const chained = middy<HttpEvent, HttpAnswer>()
    .use(logRequests(operation))
    .use(answerProblems())
    .use(refuseWhereClosed(closes)) // 404
    .use(headerNormalizer())
    .use(limitSizes()) // 413, 414
    .use(access) // 401, 403
    .use(ofBody(requireJson)) // 415
    .use(ofBody(decodeBody)) // 400, 422
    // Its own check of the type refuses a blank before a semicolon.
    .use(ofBody(() => jsonBodyParser<HttpEvent>({ disableContentTypeCheck: true })))
    .use(ofBody(requireObject)) // 400, 422
    .use(validate(operation)) // 422
    .handler(async (event: HttpEvent, context: Context) => {
      const reply = await handle(event, context);
      const answer = successAnswer(operation, reply, event);
      return { ...answer, headers: { ...answer.headers, ...headers(reply) } };
    });
  return begun(operation.name, chained);
}

function refuseWhereClosed(closes: () => boolean): Step {
  return {
    before(): void {
      if (closes()) throw routeNotFound();
    },
  };
}

/** The handler that begins a request: its work, its change and its time. */
function begun(operation: string, chained: MiddyfiedHandler<HttpEvent, HttpAnswer>): HttpHandler {
  return async (event, context) => {
    requireHttpEvent(operation, event);
    const startedAt = uptimeMs();
    const request = requestIdOf(event);
    const change = beginChange({ operation, request });
    return carryOut({ operation, request_id: request }, () => chained({ ...event, startedAt, change }, context));
  };
}

function requestOf<O extends Operation>(event: HttpEvent, context: Context): AnonymousRequest<O> {
  const { parameters, query, body } = event.input ?? {};
  return {
    parameters: parameters as Parameters<O>,
    query: query as Query<O>,
    body: body as Body<O>,
    now: new Date(),
    change: event.change,
    requestId: requestIdOf(event),
    sender: event,
    remainingMs: () => context.getRemainingTimeInMillis(),
  };
}

function signedInRequestOf<O extends Operation>(event: HttpEvent, context: Context): SignedInRequest<O> {
  return { ...requestOf<O>(event, context), caller: requireCaller(event), holder: event.holder };
}
