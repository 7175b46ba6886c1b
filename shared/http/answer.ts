import type * as v from "valibot";
import { type Answer, type Operation, parameterNames } from "../contract/operation.ts";
import { defaultPerPage } from "../contract/query.ts";
import { busy, internalError, Refusal, type RefusalFacts, refusalCodes } from "../contract/refusals.ts";
import { isThrottled } from "../run/call-limits.ts";
import { maxPageDepth, type Page, type PagePosition } from "../run/paging.ts";
import { type HttpAnswer, type HttpEvent, type HttpRequest, requestIdOf } from "./event.ts";

/** Copies the fields that a schema names. Throws if the value has another shape. */
type AllowList = (value: unknown) => unknown;

type Schema = v.GenericSchema<unknown, unknown>;
type Fields = Readonly<Record<string, unknown>>;

/** The parts of each type of schema, besides the common ones. */
interface SchemaParts {
  readonly entries: Readonly<Record<string, Schema>>;
  readonly item: Schema;
  readonly wrapped: Schema;
  readonly options: readonly unknown[];
  readonly literal: unknown;
}

const allowLists = new WeakMap<Schema, AllowList>();

/**
 * The allow-list that an answer's schema defines. It looks at names and types of fields and not at their values, which
 * were held against the same schemas on their way into the table: that would take most of a call's time.
 */
export function allowListOf(schema: Schema): AllowList {
  const made = allowLists.get(schema);
  if (made) return made;
  const allow = makeAllowList(schema, "the answer");
  allowLists.set(schema, allow);
  return allow;
}

function makeAllowList(schema: Schema, place: string): AllowList {
  const { entries, item, wrapped, options, literal } = schema as unknown as SchemaParts;
  switch (schema.type) {
    case "string":
    case "number":
    case "boolean":
      return allowWhere((value) => typeof value === schema.type, place);
    case "unknown":
      return (value) => value;
    case "picklist":
      return allowWhere((value) => options.includes(value), place);
    case "literal":
      return allowWhere((value) => value === literal, place);
    case "nullable":
      return allowNullable(makeAllowList(wrapped, place));
    case "exact_optional":
      return allowAbsent(makeAllowList(wrapped, place));
    case "array":
      return allowItems(makeAllowList(item, `an item of ${place}`), place);
    case "object":
      return allowFields(entries, place);
    case "loose_object":
      return allowFields(entries, place, { isOpen: true });
  }
  throw new Error(`No allow-list can be made of ${place}, a ${schema.type}`);
}

function allowWhere(fits: (value: unknown) => boolean, place: string): AllowList {
  return (value) => {
    if (!fits(value)) throw breach(place);
    return value;
  };
}

function allowNullable(allow: AllowList): AllowList {
  return (value) => (value === null ? null : allow(value));
}

function allowAbsent(allow: AllowList): AllowList {
  return (value) => (value === undefined ? undefined : allow(value));
}

function allowItems(allow: AllowList, place: string): AllowList {
  return (value) => {
    if (!Array.isArray(value)) throw breach(place);
    return value.map(allow);
  };
}

function allowFields(entries: Readonly<Record<string, Schema>>, place: string, { isOpen = false } = {}): AllowList {
  const allowed = Object.entries(entries).map(
    ([name, entry]) => [name, makeAllowList(entry, `${name} of ${place}`)] as const,
  );
  return (value) => {
    if (typeof value !== "object" || value === null) throw breach(place);
    const fields = value as Fields;
    const answered: Record<string, unknown> = isOpen ? { ...fields } : {};
    for (const [name, allow] of allowed) answered[name] = allow(fields[name]);
    return answered;
  };
}

function breach(place: string): Error {
  return new Error(`The contract knows no such value for ${place}`);
}

/**
 * The `Link` header (RFC 8288) of a page: first, prev, next and last, with the other query parameters. `next` uses a
 * cursor, which costs the same at any depth; pages too deep for a number have no link. Without a total there is only
 * `next`. Undefined if there is only one page (D30). Keeps only parameters with the given names, and repeats their values as
 * validation read them, because headers are limited in size.
 */
export function pageLinks(
  event: HttpEvent,
  names: readonly string[],
  place: PagePosition,
  total: number | undefined,
): string | undefined {
  const { number, nextCursor } = place;
  const list = addressOf(event, names);
  if (total === undefined) return nextCursor && link("next", undefined, nextCursor);
  const last = Math.max(1, Math.ceil(total / place.perPage));
  if (last === 1 && number === 1) return undefined;
  const links = [byNumber("first", 1)];
  if (number !== undefined && number > 1) links.push(byNumber("prev", Math.min(number - 1, last)));
  if (nextCursor) links.push(link("next", number && number + 1, nextCursor));
  links.push(byNumber("last", last));
  return links.filter((text) => text !== "").join(", ");

  function byNumber(rel: string, target: number): string {
    return target * place.perPage > maxPageDepth ? "" : link(rel, target);
  }

  function link(rel: string, target: number | undefined, cursor?: string): string {
    const page = [...(target === undefined ? [] : [`page=${target}`]), ...(cursor ? [`cursor=${cursor}`] : [])];
    return `<${list}${page.join("&")}>; rel="${rel}"`;
  }
}

/** The list's address with all other parameters, to which those of a page are added. */
function addressOf(event: HttpEvent, names: readonly string[]): string {
  const parameters = new URLSearchParams();
  const read = event.input?.query as Readonly<Record<string, unknown>> | undefined;
  for (const [name, value] of Object.entries(event.queryStringParameters ?? {})) {
    const isKept = names.includes(name) && name !== "page" && name !== "cursor";
    if (isKept && value) parameters.set(name, String(read?.[name]));
  }
  const protocol = event.headers["x-forwarded-proto"] === "http" ? "http" : "https";
  const kept = parameters.size === 0 ? "" : `${parameters}&`;
  return `${protocol}://${event.requestContext.domainName}${event.rawPath}?${kept}`;
}

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

/**
 * Middleware: turns every thrown error into a problem document (RFC 9457, D31). A call of AWS that is throttled, of whatever
 * service, is the refusal `busy` from here on.
 */
export function answerProblems() {
  return {
    onError(request: HttpRequest): void {
      const { error } = request;
      if (isThrottled(error)) request.error = busy("AWS throttles a call of the request", error.name);
      request.response = problemAnswer(request);
    },
  };
}

function problemAnswer(request: HttpRequest): HttpAnswer {
  const { error } = request;
  const isRefusal = error instanceof Refusal;
  const code = isRefusal ? error.code : internalError.code;
  const { status, title } = isRefusal ? refusalCodes[error.code] : internalError;
  const facts = isRefusal ? error.facts : {};
  const document = {
    type: `urn:workforce:problem:${code}`,
    title,
    status,
    detail: status < 500 ? error?.message : undefined,
    instance: request.event.rawPath,
    code,
    request_id: requestIdOf(request.event),
    errors: facts.errors,
    changed_ids: facts.changedIds,
    missing_ids: facts.missingIds,
  };
  return {
    statusCode: status,
    headers: {
      ...commonHeaders(request.event),
      "content-type": "application/problem+json; charset=utf-8",
      ...factHeaders(status, code, facts),
    },
    body: JSON.stringify(document),
  };
}

function factHeaders(status: number, code: string, facts: RefusalFacts): Record<string, string> {
  const { allowedMethods, retryAfterSeconds } = facts;
  const isOfToken = code.startsWith("token_") && code !== "token_missing";
  return {
    ...(status === 401 && { "www-authenticate": isOfToken ? 'Bearer error="invalid_token"' : "Bearer" }),
    ...(allowedMethods && { allow: allowedMethods.join(", ") }),
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  };
}
