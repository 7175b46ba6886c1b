import { jitter } from "../backoff.ts";

/** What a client knows of an operation; the build takes it from the contract. */
export interface ClientOperation {
  readonly method: string;
  readonly path: string;
  /** The outer object of the body. */
  readonly object?: string;
  /** What an answer always has. */
  readonly answers: readonly string[];
  /** The array of a list's answer. */
  readonly list?: string;
  /** True where a bearer token is sent. */
  readonly signedIn?: boolean;
  /** True where an Idempotency-Key is taken. */
  readonly idempotent?: boolean;
  /** True where an earlier session may be proved. */
  readonly takesProof?: boolean;
  /** True where the answer has the tokens of a session. */
  readonly answersTokens?: boolean;
  /** True where success means that the session has ended. */
  readonly endsSession?: boolean;
}

/** The fields of a call: parameters of the path, and those of the query or the body. */
export type Input = Readonly<Record<string, unknown>>;

/** A request without what changes from try to try. */
export interface ClientRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What its answer always has. */
  readonly answers: readonly string[];
  /** True where it may be sent again when no answer, or one that asks to wait, has come. */
  readonly isRepeatable: boolean;
}

/** The request of a call, with the query of another page where given. Throws `TypeError` where the path lacks a parameter. */
export function requestOf(operation: ClientOperation, input: Input, key?: string, query?: string): ClientRequest {
  const { method, path, object, idempotent, answers } = operation;
  const rest: Record<string, unknown> = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = String(rest[name] ?? "");
    // A dot segment would lead to another path.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} must be the id of a record`);
    delete rest[name];
    return encodeURIComponent(value);
  });
  return {
    method,
    answers,
    url: filled + (object ? "" : (query ?? queryOf(rest))),
    headers: {
      accept: "application/json",
      ...(object && { "content-type": "application/json" }),
      ...(idempotent && { "idempotency-key": key ?? randomKey() }),
    },
    ...(object && { body: JSON.stringify({ [object]: rest }) }),
    isRepeatable: method === "GET" || Boolean(idempotent),
  };
}

/** Several values of a parameter are separated by commas (D22). */
function queryOf(fields: Input): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

/** Pages without TLS and React Native have no `randomUUID`; a key need not be secret, as it belongs to its user (D32). */
function randomKey(): string {
  const { crypto } = globalThis as { crypto?: { randomUUID?(): string } };
  const part = () => Math.floor(jitter(0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).toString(36);
  return crypto?.randomUUID?.() ?? `${Date.now().toString(36)}-${part()}${part()}`;
}
