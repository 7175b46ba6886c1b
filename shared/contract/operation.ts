import type * as v from "valibot";
import type { RefusalCode } from "./refusals.ts";

/** The closed set of roles (D1). */
export const roles = ["admin", "operator", "client", "driver"] as const;

/** One of the four roles (D1). */
export type Role = (typeof roles)[number];

/** Every role: the access of operations that serve a signed-in user their own records (D3). */
export const everyRole: readonly Role[] = roles;

/** What an API key may do: read, or act as well (D46). */
export const keyAccesses = ["read", "act"] as const;

/** What an API key may do. */
export type KeyAccess = (typeof keyAccesses)[number];

/** HTTP methods the interface uses. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type Schema = v.GenericSchema<unknown, unknown>;

/** The JSON request body: one outer object, named by `object`, holding `fields`. */
export interface BodyContract {
  readonly object: string;
  readonly fields: Schema;
}

/** The contract of one operation: its address, callers, input and answer. */
export interface Operation {
  /** Kebab-case name of the function file, construct, sample event, test and log lines. */
  readonly name: string;
  readonly summary: string;
  readonly method: Method;
  readonly path: `/${string}`;
  /** `anyone`: no bearer token is read. Otherwise the roles that may call it (D3). */
  readonly access: "anyone" | readonly Role[];
  /**
   * True if the caller's session has to be live, and the user still of the token's role and company (D4); `unless_own` if
   * that holds only for another session than the caller's own; false if a valid token is enough. Every operation with
   * callers' roles that is not a read says it.
   */
  readonly needsSession?: boolean | "unless_own";
  /** The access that an API key needs; `closed` if no key may call it (D46). Every operation with callers' roles says it. */
  readonly keys?: KeyAccess | "closed";
  /** True if operators and clients act within their company and are refused without one (D2, D3). Drivers need none. */
  readonly companyBound?: boolean;
  /** The parameters in the path, such as `{id}`. */
  readonly parameters?: Schema;
  readonly query?: Schema;
  readonly body?: BodyContract;
  /** The answer's fields, an allow-list; for a list, those of one item. */
  readonly answer: Schema;
  /** Present on list answers: the name of the array in the answer. */
  readonly list?: string;
  /**
   * True if a request may carry an `Idempotency-Key`, under which it is carried out once (D32). The answer's header
   * `change-id` identifies the change, so that it can be undone (D41).
   */
  readonly idempotent?: boolean;
  /** The codes of its refusals, besides those that follow from the rest of its entry (`refusals-of.ts`). */
  readonly refusals?: readonly RefusalCode[];
  /** True for a read that answers HEAD as well, which monitors and link checkers send (D31). */
  readonly answersHead?: boolean;
}

/** An operation that needs a bearer token. */
export type SignedInOperation = Operation & { readonly access: readonly Role[] };

/** An operation that needs a live session (D4). */
export type SessionOperation = SignedInOperation & { readonly needsSession: true };

/** An operation whose function is called for every valid access token (D4). */
export type TokenOperation = SignedInOperation & { readonly needsSession?: false | "unless_own" };

/** An operation whose requests may carry an `Idempotency-Key` (D32). */
export type IdempotentOperation = SessionOperation & { readonly idempotent: true };

/** An operation that anyone may call. */
export type AnonymousOperation = Operation & { readonly access: "anyone" };

/** The facts that an entry must have beside those that every entry has. */
type SaysOfCaller<O extends Operation> = O extends { readonly access: "anyone" }
  ? unknown
  : { readonly keys: KeyAccess | "closed" } & (O extends { readonly method: "GET" }
      ? unknown
      : { readonly needsSession: boolean | "unless_own" });

/** Declares an operation and keeps its exact schema types. */
export function operation<const O extends Operation>(entry: O & SaysOfCaller<O>): O {
  return entry;
}

/** The validated query of an operation. */
export type Query<O extends Operation> = O["query"] extends Schema ? v.InferOutput<O["query"]> : Record<never, never>;

/** The names of an operation's query parameters. */
export function parameterNames({ query }: Operation): string[] {
  return query && "entries" in query ? Object.keys(query.entries as object) : [];
}

/** True for a list with cursors only, which has neither page numbers nor `total`. */
export function isByCursor(operation: Operation): boolean {
  const names = parameterNames(operation);
  return names.includes("cursor") && !names.includes("page");
}

/** True if a query parameter takes several values, separated by commas (D22). */
export function takesList({ query }: Operation, name: string): boolean {
  const entries = query && "entries" in query ? (query.entries as Readonly<Record<string, Piped>>) : {};
  return entries[name] !== undefined && hasArray(entries[name]);
}

/** A schema, or a pipe that contains some. */
interface Piped {
  readonly type: string;
  readonly pipe?: readonly Piped[];
}

function hasArray({ type, pipe = [] }: Piped): boolean {
  return type === "array" || pipe.some(hasArray);
}

/** The validated path parameters of an operation. */
export type Parameters<O extends Operation> = O["parameters"] extends Schema
  ? v.InferOutput<O["parameters"]>
  : Record<never, never>;

/** The validated fields inside the body's outer object. */
export type Body<O extends Operation> = O["body"] extends BodyContract
  ? v.InferOutput<O["body"]["fields"]>
  : Record<never, never>;

/** The answer's fields; for a list, those of one item. */
export type Answer<O extends Operation> = v.InferInput<O["answer"]>;

/** The API key of a request (D46). */
export interface CallerKey {
  readonly id: number;
  readonly access: KeyAccess;
}

/** The user of a request, from the access token's claims (D4), or of an API key as the user is now (D46). */
export interface Caller {
  readonly userId: number;
  readonly role: Role;
  /** The tenant; null for users without a company. */
  readonly companyId: number | null;
  /** The session family the token belongs to; of an API key the name of none. */
  readonly sessionId: string;
  /** Present if the request came with an API key. */
  readonly key?: CallerKey | undefined;
}

/** The companies whose records a caller may see and change: `all`, or one company's id (D2). */
export type Scope = "all" | number;

/** The scope of a caller of a company-bound operation; null when the caller has none (D2, D3). */
export function scopeOf(caller: Pick<Caller, "role" | "companyId">): Scope | null {
  return caller.role === "admin" ? "all" : caller.companyId;
}

/** The scope of an authenticated caller of a company-bound operation. */
export function requireScope(caller: Caller): Scope {
  const scope = scopeOf(caller);
  if (scope === null) throw new Error("A company-bound operation ran for a caller without a company");
  return scope;
}

/** The part of a scope that belongs to one company; null if the company is outside of it (D22). */
export function narrowScope(scope: Scope, companyId: number | undefined): Scope | null {
  if (companyId === undefined) return scope;
  return isWithin(scope, companyId) ? companyId : null;
}

/** True if a company's records are within the scope. */
export function isWithin(scope: Scope, companyId: number | null): boolean {
  return scope === "all" || scope === companyId;
}

/** An Idempotency-Key, as far as a repetition is recognised by it (D32). */

export interface RequestKey {
  /** The id of the change that every request with the key makes. */
  readonly changeId: string;
  /** Keyed hash of who sent what. */
  readonly fingerprint: string;
  /** True for a stored fingerprint of the same request, under any version of the HMAC key. */
  readonly matches: (fingerprint: string) => boolean;
}
