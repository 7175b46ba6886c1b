import type { Role } from "../contract/operation.ts";
import type { TokenStore } from "./store.ts";

/** The settings of a client. */
export interface ClientSettings {
  /**
   * Address of the service, such as `https://api.example.com`, with or without `/api/v1`; empty for the page's own origin.
   */
  readonly baseUrl: string;
  /** Stores the session; in memory by default. */
  readonly store?: TokenStore;
  /** Calls with this API key in place of a session: for a program, which signs nobody in. Not with `store`. */
  readonly apiKey?: string;
  /** Longest time of a call in milliseconds, including retries. Default: 30,000. `Infinity` sets no limit. */
  readonly timeout?: number;
  /** Number of retries after 429, 503 or a network error, if a retry is safe. Default: 2. */
  readonly retries?: number;
  /** Used instead of the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Longest time of this call in milliseconds, including retries. */
  readonly timeout?: number;
  /** Most retries of this call. */
  readonly retries?: number;
}

/** Options of one call of a write that takes an Idempotency-Key. */
export interface IdempotentCallOptions extends CallOptions {
  /** Under one key the write is done once, however often it is called. Default: a random key for each call. */
  readonly idempotencyKey?: string;
}

/** The user who is signed in, and their session. */
export interface ClientSession {
  /** Undefined if the tokens in the store are from elsewhere. */
  readonly userId: number | undefined;
  /** As it was at the sign-in; undefined like `userId`. */
  readonly role: Role | undefined;
}

/** The methods of a client that are no operations. */
export interface SessionMethods {
  /** The session of the user who is signed in; null if nobody is. Sends no request. */
  session(): Promise<ClientSession | null>;
  /**
   * Calls a listener whenever a session has ended: by `signOut`, by a renewal that is refused, or by another holder of
   * the store, which this client sees at its next call. Returns a function that removes the listener.
   */
  onSessionEnd(listener: () => void): () => void;
}

/** Facts from the headers of a list that has only cursors. */
export interface CursorFacts {
  /** Items per page. */
  readonly perPage: number;
}

/** Facts from the headers of a list. */
export interface ListFacts extends CursorFacts {
  /** Number of matching items on all pages. */
  readonly total: number;
  /** The id for `undoChange`; only on answers of calls that changed records. */
  readonly changeId?: string | undefined;
}

/** One page of a list. `next` requests the next page; the last page has none. */
export type ListPage<Answer, Facts = ListFacts> = Answer &
  Facts & { readonly next?: (() => ListRequest<Answer, Facts>) | undefined };

/** A requested list: await it for its first page, or walk all pages with `for await`. */
export type ListRequest<Answer, Facts = ListFacts> = Promise<ListPage<Answer, Facts>> &
  AsyncIterable<ListPage<Answer, Facts>>;
