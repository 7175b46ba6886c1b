import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { expect, test } from "vitest";
import { functions } from "../../../infra/functions/functions.ts";
import { type OperationName, operations } from "../../../shared/contract/operations.ts";

test.each(operations)("the sample event of $name is one that API Gateway would send", ({
  name,
  method,
  path,
  access,
}) => {
  const event = readEvent(name as OperationName);
  const { http, routeKey, requestId } = event.requestContext;
  expect(event.version).toBe("2.0");
  expect([event.routeKey, routeKey]).toEqual([`${method} ${path}`, `${method} ${path}`]);
  const address = path.replace(/\{(\w+)\}/g, (_, parameter) => String(event.pathParameters?.[parameter]));
  expect([http.method, http.path, event.rawPath]).toEqual([method, address, address]);
  expect(requestId).toBeTruthy();
  expect(Object.fromEntries(new URLSearchParams(event.rawQueryString))).toEqual(event.queryStringParameters ?? {});
  expect(event.headers.authorization).toBe(access === "anyone" ? undefined : "Bearer {{token}}");
  expect(Number(event.headers["content-length"] ?? 0)).toBe(Buffer.byteLength(event.body ?? ""));
});

function readEvent(name: OperationName): APIGatewayProxyEventV2 {
  return JSON.parse(
    readFileSync(join(import.meta.dirname, `../../../events/${functions[name].area}/${name}.json`), "utf8"),
  );
}
