import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { type FunctionName, functions } from "../../functions/functions.ts";
import { joinParameters } from "../../runtime/gateway/gateway-event.ts";
import { root } from "../../support/root.ts";
import { orMistake, UsageError } from "../cli/command.ts";

/** The file with an operation's sample event. */
export function sampleFile(name: FunctionName): string {
  return join(root, "events", functions[name].area, `${name}.json`);
}

/** The text of an event in a file, or in standard input (`-`). Throws `UsageError` with the place that is not JSON. */
export function readEvent(file: string): string {
  const text = orMistake("The event cannot be read: ", () => readFileSync(file === "-" ? 0 : file, "utf8"));
  const place = file === "-" ? "standard input" : file;
  const event: unknown = orMistake(`The event in ${place} is not JSON: `, () => JSON.parse(text));
  if (typeof event === "object" && event !== null && !Array.isArray(event)) return text;
  throw new UsageError(`The event in ${place} is not a JSON object.`);
}

/** An event with its `{{placeholders}}` filled in: the token, its session, the pin, and times. Throws `UsageError` on any other. */
export function fillEvent(text: string, { token = "", pin = "" }, now = new Date()): unknown {
  const values: Readonly<Record<string, string>> = {
    token,
    session: sessionOf(token),
    pin,
    now: now.toISOString(),
    in_10_minutes: new Date(now.getTime() + 600_000).toISOString(),
  };
  const filled = text.replaceAll(/\{\{(\w*)\}\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    const known = Object.keys(values).map((each) => `{{${each}}}`);
    throw new UsageError(`The event holds ${placeholder}; what can be filled in is ${known.join(", ")}.`);
  });
  return JSON.parse(filled);
}

/** The session of an access token of the service; empty for any other token. */
function sessionOf(token: string): string {
  const [, payload = ""] = token.split(".");
  return payload === "" ? "" : String(JSON.parse(Buffer.from(payload, "base64url").toString()).sid);
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields that distinguish the kinds of events; after `Records` those of each record. */
const identifying = [
  ...["rawPath", "headers", "requestContext.http"],
  ...["Records.messageId", "Records.body", "Records.eventName", "Records.dynamodb.Keys", "Records.eventSource"],
  ...["detail-type", "time"],
];

/** Throws `UsageError` if an event is of another kind than the function's sample event. */
export function requireKind(event: object, sample: object, functionName: string): void {
  const missing = identifying.find((field) => has(sample, field) && !has(event, field));
  if (missing === undefined) return;
  const named = missing.replace("Records.", "Records[].");
  throw new UsageError(`${functionName} takes an event like its sample in events/, and this one has no ${named}.`);
}

/** True if a path leads to a value, for a list in each of its items; false for an empty list. */
function has(value: unknown, path: string): boolean {
  const [name = "", ...rest] = path.split(".");
  if (Array.isArray(value)) return value.length > 0 && value.every((each) => has(each, path));
  const inner = typeof value === "object" && value !== null ? (value as Fields)[name] : undefined;
  return rest.length === 0 ? inner !== undefined : has(inner, rest.join("."));
}

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
  const pathParameters = { ...event.pathParameters };
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
