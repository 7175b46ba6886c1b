import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpService, readBody, startHttpService } from "../../../infra/local/http-service.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import { call } from "../../support/requests/call.ts";
import { endpoints } from "../../support/requests/every-operation.ts";

/** Serves every operation on the loopback interface by its handler, without the rest of the local machine. */
export function serveHandlers(): Promise<HttpService> {
  return startHttpService((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  const found = endpoints
    .map((each) => ({ ...each, parameters: matchAddress(each.operation, request.method, pathname) }))
    .find(({ parameters }) => parameters !== undefined);
  if (!found) throw new Error(`Nothing takes ${request.method} ${pathname}`);
  const { handler, operation, parameters = {} } = found;
  const text = String(await readBody(request, 1_000_000));
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const { status, ...answered } = await call(handler, operation, {
    headers,
    parameters,
    query: Object.fromEntries(searchParams),
    ...(text && { body: text }),
  });
  response.writeHead(status, answered.headers).end(JSON.stringify(answered.body));
}

/** The values of an operation's placeholders in a path; undefined where it does not take the request. */
function matchAddress({ method, path }: Operation, asked: string | undefined, pathname: string) {
  const pattern = path.replaceAll(".", "\\.").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  const match = method === asked ? new RegExp(`^${pattern}$`).exec(pathname) : null;
  return match ? { ...match.groups } : undefined;
}
