import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { joinParameters } from "../../local/gateway/gateway-event.ts";
import { UsageError } from "../cli/command.ts";

/** Changes of a request in its event. */
export interface RequestOverrides {
  /** The whole query string, such as `by_state=paid&page=2`. */
  readonly query?: string | undefined;
  readonly body?: string | undefined;
  /** Values of the path's placeholders, each as `name=value`. */
  readonly path?: readonly string[] | undefined;
}

/**
 * An API event with changes of its request, in every field that repeats them. Throws `UsageError` on a placeholder that
 * the path lacks.
 */
export function overrideRequest(event: APIGatewayProxyEventV2, changes: RequestOverrides): APIGatewayProxyEventV2 {
  const withQuery = changes.query === undefined ? event : changeQuery(event, changes.query.replace(/^\?/, ""));
  const withBody = changes.body === undefined ? withQuery : changeBody(withQuery, changes.body);
  return changes.path === undefined ? withBody : changePath(withBody, changes.path);
}

function changeQuery({ queryStringParameters: _, ...event }: APIGatewayProxyEventV2, query: string) {
  return { ...event, rawQueryString: query, ...(query && { queryStringParameters: joinParameters(query) }) };
}

function changeBody(event: APIGatewayProxyEventV2, body: string): APIGatewayProxyEventV2 {
  const { "content-length": _, ...headers } = event.headers;
  return { ...event, headers: { "content-type": "application/json", ...headers }, body, isBase64Encoded: false };
}

function changePath(event: APIGatewayProxyEventV2, places: readonly string[]): APIGatewayProxyEventV2 {
  const pathParameters: Record<string, string> = {};
  for (const [name, value] of Object.entries(event.pathParameters ?? {})) pathParameters[name] = value ?? "";
  for (const place of places) {
    const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(place) ?? [];
    if (!Object.hasOwn(pathParameters, name)) {
      const known = Object.keys(pathParameters);
      const advice = known.length > 0 ? `name one of ${known.join(", ")} as name=value` : "the path has none";
      throw new UsageError(`--path ${place} is no place of ${event.routeKey}: ${advice}`);
    }
    pathParameters[name] = value;
  }
  const template = event.routeKey.split(" ")[1] ?? "";
  const path = template.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => pathParameters[name] ?? "");
  const http = { ...event.requestContext.http, path };
  return { ...event, rawPath: path, pathParameters, requestContext: { ...event.requestContext, http } };
}
