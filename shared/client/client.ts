import type { Role } from "../contract/operation.ts";
import type { OperationName } from "../contract/operations.ts";
import { jitter } from "../run/backoff.ts";
import type { CallOptions, ClientSettings, IdempotentCallOptions, SessionMethods } from "./client-settings.ts";
import { type Clock, startClock } from "./clock.ts";
import { ProblemError, ProtocolError } from "./errors.ts";
import { type ClientAnswer, type Fields, send } from "./exchange.ts";
import { type ClientOperation, type ClientRequest, type Input, requestOf } from "./request.ts";
import { renewSession, replaceSession, watchSession } from "./session.ts";
import { memoryStore, type StoredSession, type TokenStore } from "./store.ts";

/** The name of an operation as a method name. */
export type MethodName<Name extends string = OperationName> = Name extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<MethodName<Rest>>}`
  : Name;

/** The operations of the contract by the names of their methods. */
export type ClientOperations = Readonly<Record<MethodName, ClientOperation>>;

/** API Gateway gives up after 30 seconds. */
export const defaultTimeoutMs = 30_000;
/** A fault that lasts longer than three tries is one for the user. */
const defaultRetries = 2;

/** Tokens are renewed after nine tenths of their life. Tabs that share a store differ by up to a minute. */
const [renewedAfter, spreadMs] = [0.9, 60_000];

/** As long as the service takes a reset token as a proof (D10). */
export const resetTokenProvesMs = 60 * 60_000;

/** The longest time that a call waits for a due renewal, and at most half of its own time: its token is still valid. */
const longestAheadMs = 5_000;

/** Calls an operation and stores the session in its answer. `query` requests another page. */
export type Call = (
  operation: ClientOperation,
  input: Input,
  options: IdempotentCallOptions,
  query?: string,
) => Promise<ClientAnswer>;

/** Calls operations, and knows the session. */
export interface Caller extends SessionMethods {
  readonly call: Call;
}

/** Makes the functions that a client consists of. */
export function createCaller(operations: ClientOperations, settings: ClientSettings): Caller {
  const store = storeOf(settings);
  const { look, ...sessions } = watchSession(store);
  const { renewed, current } = renewing(operations, settings, store, look);
  /** Of the pin that was confirmed last. It could set a password, so it stays out of the store. */
  let resetToken: ResetToken | undefined;

  const attempt = async (session: StoredSession, operation: ClientOperation, request: ClientRequest, again: Again) => {
    const { retries, clock } = again;
    const sendAs = (sender: StoredSession) => {
      const headers = { ...request.headers, ...credentialsOf(sender, operation, resetToken) };
      return send({ ...request, headers }, settings, clock, retries);
    };
    if (operation.signedIn && !session.accessToken) throw nobodySignedIn();
    return sendAs(session).catch(async (error) => {
      if (!operation.signedIn || !session.refreshToken || !isTokenRefused(error)) throw error;
      const next = await renewed(session, clock);
      if (!next.accessToken || next.userId !== session.userId) throw error;
      return sendAs(next);
    });
  };

  const call: Call = (operation, input, options, query) =>
    run(settings, options, async (clock) => {
      const request = requestOf(operation, input, options.idempotencyKey, query);
      const retries = options.retries ?? settings.retries ?? defaultRetries;
      const session = operation.signedIn ? await current(clock) : await clock.within(look());
      const answer = await attempt(session, operation, request, { retries, clock });
      await clock.within(keepSession({ operation, input, session, answer, store, clock }));
      if (operation.answersTokens || operation.endsSession) await look();
      resetToken = operation.answersTokens ? undefined : (resetTokenIn(answer) ?? resetToken);
      return answer;
    }).catch(async (error) => {
      // The session may have ended with it.
      if (isUnauthorized(error)) await look();
      throw error;
    });

  return { call, ...sessions };
}

/** Of an API key it holds nothing else: nobody signs in, and nothing is renewed. */
function storeOf({ apiKey, store }: ClientSettings): TokenStore {
  if (apiKey === undefined) return store ?? memoryStore();
  if (store) throw new TypeError("A client with an API key has no session: leave store out");
  return memoryStore({ accessToken: apiKey });
}

/** The renewal of a client's session, and the session to call with. */
function renewing(
  operations: ClientOperations,
  settings: ClientSettings,
  store: TokenStore,
  look: () => Promise<StoredSession>,
) {
  const spread = jitter(0, spreadMs, spreadMs);
  /** Has a timeout of its own, so that callers who give up do not end it for the others. */
  const renew = (refresh_token: string) =>
    run(settings, { timeout: defaultTimeoutMs }, async (clock) => {
      const request = requestOf(operations.refreshToken, { refresh_token });
      return tokensIn(await send(request, settings, clock, 0));
    });
  const renewed = (session: StoredSession, clock: Clock) =>
    clock.within(renewSession(store, session.accessToken, renew));

  /** Renews a token that is still valid. If that fails or takes long, returns the session as it is. */
  const renewedAhead = (session: StoredSession, clock: Clock) => {
    const ahead = startClock(Math.min(longestAheadMs, clock.timeout / 2), clock.signal);
    return renewed(session, ahead)
      .catch((error) => unlessEnded(error, session))
      .finally(ahead.stop);
  };

  /** The session to call with, renewed if that is due. */
  const current = async (clock: Clock): Promise<StoredSession> => {
    const session = await clock.within(look());
    const { accessToken, refreshToken, renewAt = Number.POSITIVE_INFINITY } = session;
    if (!refreshToken || (accessToken && Date.now() <= renewAt + spread)) return session;
    const next = await (accessToken ? renewedAhead : renewed)(session, clock);
    // Somebody else may have signed in meanwhile. The call must not act as them.
    return next.userId === session.userId ? next : session;
  };
  return { renewed, current };
}

/** Runs work within the time of a call. */
async function run<T>(settings: ClientSettings, options: CallOptions, work: (clock: Clock) => Promise<T>): Promise<T> {
  const clock = startClock(options.timeout ?? settings.timeout ?? defaultTimeoutMs, options.signal);
  return work(clock).finally(clock.stop);
}

/** The rules by which a request may be sent again. */
interface Again {
  readonly retries: number;
  readonly clock: Clock;
}

/** The service's own refusal, without a request to it. */
function nobodySignedIn(): ProblemError {
  const facts = { status: 401, requestId: undefined, retryAfter: undefined };
  const error = new ProblemError({ code: "token_missing", detail: "Nobody is signed in" }, facts);
  error.attempts = 0;
  return error;
}

/** A reset token, which proves for an hour that its pin was confirmed here. */
interface ResetToken {
  readonly text: string;
  /** In milliseconds since 1970. */
  readonly provesTo: number;
}

function resetTokenIn({ body }: ClientAnswer): ResetToken | undefined {
  const { reset_password_token: text } = (body.user ?? {}) as Fields;
  return typeof text === "string" ? { text, provesTo: Date.now() + resetTokenProvesMs } : undefined;
}

function credentialsOf(
  { accessToken, knownClient, refreshToken }: StoredSession,
  operation: ClientOperation,
  resetToken: ResetToken | undefined,
) {
  const confirmed = resetToken && Date.now() < resetToken.provesTo ? resetToken.text : undefined;
  const proof = operation.takesProof && (confirmed ?? refreshToken ?? knownClient);
  return {
    ...(operation.signedIn && accessToken && { authorization: `Bearer ${accessToken}` }),
    ...(proof && { "known-client": proof }),
  };
}

function isUnauthorized(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.status === 401;
}

function isTokenRefused(error: unknown): boolean {
  return isUnauthorized(error) && error.code.startsWith("token_");
}

function unlessEnded(error: unknown, session: StoredSession): StoredSession {
  if (isUnauthorized(error)) throw error;
  return session;
}

/** A call that got an answer. */
interface Answered {
  readonly operation: ClientOperation;
  readonly input: Input;
  /** The session of the call. */
  readonly session: StoredSession;
  readonly answer: ClientAnswer;
  readonly store: TokenStore;
  readonly clock: Clock;
}

/** Updates the stored session after an answer. */
async function keepSession({ operation, input, session, answer, store, clock }: Answered): Promise<void> {
  if (operation.answersTokens) {
    const { refreshToken, userId, role } = session;
    const tokens = tokensIn(answer);
    const spent = input.refresh_token;
    await replaceSession(store, (stored) => {
      // A caller who gets an error must not be signed in afterwards.
      if (clock.signal.aborted) return stored;
      if (spent === undefined) return tokens;
      // Only the stored token's user is known. If somebody has signed in meanwhile, their session stays.
      return stored.refreshToken === refreshToken
        ? { ...(spent === refreshToken && { userId, role }), ...tokens }
        : stored;
    });
  }
  if (operation.endsSession) {
    await replaceSession(store, (stored) => {
      if (stored.userId !== session.userId) return stored;
      return stored.refreshToken ? { knownClient: stored.refreshToken } : undefined;
    });
  }
}

/** The session in an answer. Throws `ProtocolError` if there is none. */
function tokensIn({ body }: ClientAnswer): StoredSession {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: life } = (body.token ?? {}) as Fields;
  if (typeof accessToken !== "string" || typeof refreshToken !== "string" || typeof life !== "number") {
    throw new ProtocolError("The answer has no tokens", { status: 200, requestId: undefined, retryAfter: undefined });
  }
  const renewAt = Date.now() + life * 1_000 * renewedAfter;
  const { id: userId, role } = (body.user ?? {}) as Fields;
  return { accessToken, refreshToken, renewAt, ...(typeof userId === "number" && { userId, role: role as Role }) };
}
