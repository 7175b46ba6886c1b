import { type Answer, type Operation, parameterNames } from "../contract/operation.ts";
import type { Page } from "../contract/paging.ts";
import { defaultPerPage } from "../contract/query.ts";
import { type AllowList, allowListOf } from "./allow-list.ts";
import { type HttpAnswer, type HttpEvent, requestIdOf } from "./http-event.ts";
import { pageLinks } from "./page-links.ts";

/** A handler's result: the answer's fields, or a page of items for list operations. */
export type Reply<O extends Operation> = (O["list"] extends string ? Page<Answer<O>> : Answer<O>) & Beside;

/** A handler may say this beside the answer's fields. */
interface Beside {
  /** Of operations that change records: undefined if nothing changed. */
  readonly changeId?: string | undefined;
  /** True if an earlier request with the same Idempotency-Key was carried out instead (D32). */
  readonly isRepetition?: boolean | undefined;
}

/** Headers that every answer carries. */
export function commonHeaders(event: HttpEvent): Record<string, string> {
  return {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-request-id": requestIdOf(event),
  };
}

/** Status 200 with only the fields the contract names, and the paging headers on lists (D30). */
export function successAnswer<O extends Operation>(operation: O, reply: Reply<O>, event: HttpEvent): HttpAnswer {
  const headers: Record<string, string> = {
    ...commonHeaders(event),
    "content-type": "application/json; charset=utf-8",
  };
  if (reply.changeId !== undefined) headers["change-id"] = reply.changeId;
  if (reply.isRepetition) headers["idempotency-replayed"] = "true";
  const allow = allowListOf(operation.answer);
  if (operation.list === undefined) {
    const answer = allowOrName(allow, reply, Object.values(reply)[0]);
    return { statusCode: 200, headers, body: JSON.stringify(answer) };
  }
  const { items, total, place, perPage = defaultPerPage } = reply as Page<unknown>;
  headers["per-page"] = String(place?.perPage ?? perPage);
  if (total !== undefined) headers.total = String(total);
  const link = place && pageLinks(event, parameterNames(operation), place, total);
  if (link) headers.link = link;
  const answered = items.map((item) => allowOrName(allow, item, item));
  return { statusCode: 200, headers, body: JSON.stringify({ [operation.list]: answered }) };
}

/** A damaged record fails its whole answer. The error has its id for the log. */
function allowOrName(allow: AllowList, answer: unknown, record: unknown): unknown {
  try {
    return allow(answer);
  } catch (error) {
    const { id } = (record ?? {}) as { readonly id?: unknown };
    if (typeof id !== "number" || !(error instanceof Error)) throw error;
    throw new Error(`${error.message}: id ${id}`, { cause: error });
  }
}
