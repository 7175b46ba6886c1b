import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { localAccount } from "../aws/local-account.ts";
import type { MatchedRoute } from "./route-table.ts";

/** The event that an HTTP API passes to a function (payload format 2.0) for a request to this machine. */
export function gatewayEvent(request: IncomingMessage, body: Buffer, matched: MatchedRoute): APIGatewayProxyEventV2 {
  const { path, query } = splitTarget(request.url ?? "/");
  const { cookie, ...headers } = joinHeaders(request);
  const host = headers.host ?? "localhost";
  const sourceIp = request.socket.remoteAddress ?? "";
  const parameters = Object.keys(matched.pathParameters).length > 0 ? matched.pathParameters : undefined;
  const now = new Date();
  return {
    version: "2.0",
    routeKey: matched.route.routeKey,
    rawPath: path,
    rawQueryString: query,
    ...(cookie !== undefined && { cookies: cookie.split(/; ?/) }),
    headers: {
      ...headers,
      "x-amzn-trace-id": `Root=1-${Math.floor(now.getTime() / 1000).toString(16)}-${randomUUID().replaceAll("-", "").slice(0, 24)}`,
      "x-forwarded-for": headers["x-forwarded-for"] ? `${headers["x-forwarded-for"]}, ${sourceIp}` : sourceIp,
      "x-forwarded-port": String(request.socket.localPort ?? ""),
      "x-forwarded-proto": "http",
    },
    ...(query && { queryStringParameters: joinParameters(query) }),
    ...(parameters && { pathParameters: parameters }),
    requestContext: {
      accountId: localAccount,
      apiId: "local",
      domainName: host,
      domainPrefix: host.split(/[.:]/)[0] ?? "",
      http: {
        method: request.method ?? "GET",
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers["user-agent"] ?? "",
      },
      requestId: randomUUID(),
      routeKey: matched.route.routeKey,
      stage: "$default",
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...encodeBody(body, headers["content-type"], headers["content-encoding"]),
  };
}

/** The path of a request target with valid percent escapes decoded, and its query string as sent. */
export function splitTarget(target: string): { path: string; query: string } {
  const [path = "", query = ""] = target.split(/\?(.*)/s);
  return { path: decodeEscapes(path), query };
}

/** Decodes percent escapes. A run of them that is not UTF-8 stays as sent. */
function decodeEscapes(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

function joinHeaders({ headersDistinct }: IncomingMessage): Record<string, string> {
  const headers = Object.entries(headersDistinct);
  return Object.fromEntries(headers.map(([name, values = []]) => [name, values.join(name === "cookie" ? "; " : ",")]));
}

/** The parameters of a query string, decoded. Several values of one name are joined by commas. */
export function joinParameters(query: string): Record<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&").filter(Boolean)) {
    const parts = pair.replaceAll("+", " ").split(/=(.*)/s);
    const [name = "", value = ""] = parts.map(decodeEscapes);
    const earlier = parameters.get(name);
    parameters.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return Object.fromEntries(parameters);
}

/** API Gateway passes these types as text; everything else, bodies without a type and bytes that are no UTF-8 as base64. */
const textTypes = /^(text\/.*|application\/(json|xml|javascript))$/;

function encodeBody(body: Buffer, contentType = "", contentEncoding = "") {
  if (body.length === 0) return { isBase64Encoded: false };
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const isText = textTypes.test(type) && !contentEncoding && isUtf8(body);
  return { body: body.toString(isText ? "utf8" : "base64"), isBase64Encoded: !isText };
}

/** A time such as `12/Mar/2026:19:03:58 +0000`. */
function commonLogTime(now: Date): string {
  const [, day, month, year, time] = now.toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
}
