import { maxPageDepth, type PagePosition } from "../contract/paging.ts";
import type { HttpEvent } from "./http-event.ts";

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
