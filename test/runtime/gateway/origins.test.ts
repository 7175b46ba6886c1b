import { afterAll, beforeAll, expect, test } from "vitest";
import { answerHeaders, requestHeaders, tracingHeaders } from "../../../infra/constructs/api/headers.ts";
import { type FrontRequest, startFront } from "../../../infra/runtime/gateway/http-server.ts";
import type { HttpService } from "../../../infra/runtime/http-service.ts";
import type { CorsRules } from "../../../infra/runtime/stack/template.ts";
import { useStack } from "../../infra/stack.ts";

const stack = await useStack();
const requests: FrontRequest[] = [];
const cors = stack.all("AWS::ApiGatewayV2::Api")[0]?.properties.CorsConfiguration as CorsRules;
let front: HttpService;
let base: string;

beforeAll(async () => {
  front = await startFront({
    port: 0,
    answerLocal: (_, response) => response.end("for this machine"),
    stack: () => ({ routes: [{ routeKey: "GET /things", functionName: "list-things" }], cors }),
    invoke: async () => ({
      statusCode: 200,
      headers: { vary: "Authorization, Origin", "access-control-allow-origin": "*" },
      body: "{}",
    }),
    onRequest: (request) => requests.push(request),
  });
  base = `http://127.0.0.1:${front.port}`;
});

afterAll(() => front.close());

async function askFrom(origin: string) {
  requests.length = 0;
  const preflight = await fetch(`${base}/things`, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "GET" },
  });
  const answer = await fetch(`${base}/things`, { headers: { origin } });
  expect(preflight.status).toBe(204);
  expect(requests.map(({ functionName }) => functionName)).toEqual([undefined, "list-things"]);
  return { preflight: preflight.headers, answer: answer.headers, refused: requests.map((each) => each.refusedOrigin) };
}

test.each([
  "http://localhost",
  "http://localhost:5173",
  "https://localhost:8443",
  "http://127.0.0.1:4200",
  "http://[::1]:3000",
  "http://10.0.0.7:8100",
  "http://172.16.0.1",
  "http://172.31.255.254:19006",
  "http://192.168.1.20:5173",
  "capacitor://localhost",
])("D34: pages of %s may send and read every header that the contract names, whatever the function says of it", async (origin) => {
  const { preflight, answer, refused } = await askFrom(origin);
  for (const headers of [preflight, answer]) {
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-expose-headers")?.split(",")).toEqual(answerHeaders);
  }
  expect(preflight.get("access-control-allow-headers")?.split(",")).toEqual([...requestHeaders, ...tracingHeaders]);
  expect(preflight.get("access-control-allow-methods")).toContain("GET");
  expect(preflight.get("access-control-max-age")).toBe(String(cors.MaxAge));
  expect(answer.get("vary")?.toLowerCase()).toBe("authorization, origin, origin");
  expect(refused).toEqual([undefined, undefined]);
});

test.each([
  "https://evil.example",
  "http://localhost.evil.example:5173",
  "http://127.0.0.1.evil.example",
  "http://10.0.0.7.evil.example",
  "http://172.32.0.1",
  "http://172.15.0.1",
  "http://192.169.0.1",
  "http://8.8.8.8",
  "http://0x7f000001",
  "http://127.0.0.1:4200/path",
  "http://user@localhost",
  "file://localhost",
  "capacitor://evil.example",
  "ionic://localhost.evil.example",
  "null",
])("pages of %s may not, and the console says so", async (origin) => {
  const { preflight, answer, refused } = await askFrom(origin);
  for (const headers of [preflight, answer]) {
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("vary")?.toLowerCase()).toMatch(/origin$/);
  }
  expect(preflight.get("access-control-allow-methods")).toBeNull();
  expect(refused).toEqual([origin, origin]);
});

test.each([
  ["OPTIONS", { origin: "http://localhost" }, 404],
  ["OPTIONS", { "access-control-request-method": "GET" }, 404],
  ["GET", { origin: "http://localhost", "access-control-request-method": "GET" }, 200],
])("%s with %j is no preflight", async (method, headers, status) => {
  expect((await fetch(`${base}/things`, { method, headers })).status).toBe(status);
});

test("a request without an origin is refused none", async () => {
  requests.length = 0;
  await fetch(`${base}/things`);
  expect(requests.map((each) => each.refusedOrigin)).toEqual([undefined]);
});
