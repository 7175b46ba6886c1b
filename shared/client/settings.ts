import type { TokenStore } from "./store.ts";

/** How a client is set up. */
export interface ClientSettings {
  /** Where the service is, such as `https://api.example.com`; empty for the page's own origin. */
  readonly baseUrl: string;
  /** Where the session is kept; in memory where left out. */
  readonly store?: TokenStore;
  /** Longest time of a call in milliseconds, its repetitions included; 30,000 where left out, `Infinity` for none. */
  readonly timeout?: number;
  /** How often a call is repeated after 429, 503 or a network fault, where that is safe; 2 where left out. */
  readonly retries?: number;
  /** Used instead of the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** What may differ for one call. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Longest time of this call in milliseconds, its repetitions included. */
  readonly timeout?: number;
  /** How often this call is repeated at most. */
  readonly retries?: number;
  /** The Idempotency-Key of a write that takes one; a random one where left out. */
  readonly idempotencyKey?: string;
}

/** What the headers of a list that is read by cursor alone say. */
export interface CursorFacts {
  /** Items per page. */
  readonly perPage: number;
}

/** What the headers of a list say. */
export interface ListFacts extends CursorFacts {
  /** Number of matching items on all pages. */
  readonly total: number;
  /** What `undoChange` takes; only where the call changed records, and of none of the lists that are only read. */
  readonly changeId?: string | undefined;
}

/** One page of a list; `next` asks for the page after it and is absent on the last one. */
export type ListPage<Answer, Facts = ListFacts> = Answer &
  Facts & { readonly next?: (() => ListRequest<Answer, Facts>) | undefined };

/** A list that was asked for: await it for its first page, or walk all pages with `for await`. */
export type ListRequest<Answer, Facts = ListFacts> = Promise<ListPage<Answer, Facts>> &
  AsyncIterable<ListPage<Answer, Facts>>;
