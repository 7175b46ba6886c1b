import { jitter } from "../run/backoff.ts";

/** The description of an operation for the client; the build takes it from the contract. */
export interface ClientOperation {
  readonly method: string;
  readonly path: string;
  /** The outer object of the body. */
  readonly object?: string;
  /** Fields that every answer has, but for a list's. */
  readonly answers: readonly string[];
  /** The array of a list's answer. */
  readonly list?: string;
  /** True if it sends a bearer token. */
  readonly signedIn?: boolean;
  /** True if it takes an Idempotency-Key. */
  readonly idempotent?: boolean;
  /** True if it takes proof of an earlier session, or of a confirmed pin. */
  readonly takesProof?: boolean;
  /** True if the answer contains the tokens of a session. */
  readonly answersTokens?: boolean;
  /** True if success means that the session has ended. */
  readonly endsSession?: boolean;
}

/** The fields of a call: parameters of the path, and those of the query or the body. */
export type Input = Readonly<Record<string, unknown>>;

/** A request, without the parts that change between tries. */
export interface ClientRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Fields that its answer always has. */
  readonly answers: readonly string[];
  /** True if it may be sent again after no answer, or after one that asks to wait. */
  readonly isRepeatable: boolean;
}

/**
 * The request of a call, optionally with the query of another page. Throws `TypeError` if the path lacks a parameter.
 */
export function requestOf(operation: ClientOperation, input: Input, key?: string, query?: string): ClientRequest {
  const { method, path, object, idempotent, answers } = operation;
  const rest: Record<string, unknown> = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = String(rest[name] ?? "");
    // A dot segment would change the path.
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

/** Commas separate several values of a parameter (D22). */
function queryOf(fields: Input): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

/**
 * Pages without TLS and React Native have no `randomUUID`. A key need not be secret, because it belongs to its user
 * (D32).
 */
function randomKey(): string {
  const { crypto } = globalThis as { crypto?: { randomUUID?(): string } };
  const part = () => Math.floor(jitter(0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).toString(36);
  return crypto?.randomUUID?.() ?? `${Date.now().toString(36)}-${part()}${part()}`;
}
