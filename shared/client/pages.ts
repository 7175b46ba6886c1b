import type { CursorFacts, ListFacts, ListPage, ListRequest } from "./client-settings.ts";
import { ProtocolError } from "./errors.ts";
import type { ClientAnswer, Fields } from "./exchange.ts";

/** The facts in the headers of some list. */
type Facts = CursorFacts & Partial<ListFacts>;

/** Requests the page of a query; without one, the first. */
export type FetchPage = (query?: string) => Promise<ClientAnswer>;

/** Requests the first page at once, and the others during iteration. */
export function requestList(list: string, fetchPage: FetchPage, query?: string): ListRequest<Fields, Facts> {
  const first = fetchPage(query).then((answer) => pageOf(list, answer, fetchPage));
  return Object.assign(first, { [Symbol.asyncIterator]: () => walk(first) });
}

/** An answer with the list's facts from its headers. Throws `ProtocolError` if the list is missing. */
export function listOf(list: string, { body, headers }: ClientAnswer): Fields & Facts {
  if (!Array.isArray(body[list])) throw breach(`The answer has no ${list}`);
  const total = headers.get("total");
  const changeId = headers.get("change-id") ?? undefined;
  const perPage = Number(headers.get("per-page") ?? Number.NaN);
  return { ...body, ...(total !== null && { total: Number(total) }), perPage, changeId };
}

function pageOf(list: string, answer: ClientAnswer, fetchPage: FetchPage): ListPage<Fields, Facts> {
  // Only the query, so that the token goes to no other host, whatever the link names.
  const [, query] = /<[^>?]*(\?[^>]*)>\s*;\s*rel="?next\b/.exec(answer.headers.get("link") ?? "") ?? [];
  const next = query ? Object.assign(() => requestList(list, fetchPage, query), { query }) : undefined;
  return Object.assign(listOf(list, answer), { next });
}

async function* walk(first: Promise<ListPage<Fields, Facts>>): AsyncGenerator<ListPage<Fields, Facts>, void> {
  const seen = new Set<string>();
  for (let page: ListPage<Fields, Facts> | undefined = await first; page; page = await page.next?.()) {
    yield page;
    const { query = "" } = (page.next ?? {}) as { query?: string };
    if (page.next && seen.has(query)) throw breach("A page names as next one that was before it");
    seen.add(query);
  }
}

function breach(message: string): ProtocolError {
  return new ProtocolError(message, { status: 200, requestId: undefined, retryAfter: undefined });
}
