import { connect } from "node:net";
import { text } from "node:stream/consumers";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { type FrontRequest, startFront } from "../../../infra/runtime/gateway/http-server.ts";
import type { HttpService } from "../../../infra/runtime/http-service.ts";

const routes = [
  { routeKey: "GET /things", functionName: "list-things" },
  { routeKey: "PUT /things/{id}", functionName: "put-thing" },
  { routeKey: "GET /things/{id}", functionName: "get-thing" },
  { routeKey: "PUT /things/all", functionName: "put-all" },
  { routeKey: "$default", functionName: "refuse" },
];
const cors = {
  AllowOrigins: ["https://app.example"],
  AllowMethods: [],
  AllowHeaders: [],
  ExposeHeaders: [],
  MaxAge: 0,
};
const events: APIGatewayProxyEventV2[] = [];
const requests: FrontRequest[] = [];
let result: unknown = {};
let front: HttpService;
let base: string;

beforeAll(async () => {
  front = await startFront({
    port: 0,
    answerLocal: (request, response) => response.end(`local ${request.url}`),
    stack: () => ({ routes, cors }),
    onRequest: (request) => requests.push(request),
    invoke: async (_, event, output) => {
      events.push(event as APIGatewayProxyEventV2);
      output?.("said\n");
      if (result instanceof Error) throw result;
      return result;
    },
  });
  base = `http://127.0.0.1:${front.port}`;
});

afterAll(() => front.close());

async function eventOf(path: string, init?: RequestInit): Promise<APIGatewayProxyEventV2> {
  result = {};
  await fetch(base + path, init);
  return events.at(-1) as APIGatewayProxyEventV2;
}

async function answerTo(given: unknown): Promise<Response> {
  result = given;
  return fetch(`${base}/things`);
}

/** Sends bytes no HTTP client would send. */
function sendRaw(request: string): Promise<string> {
  const socket = connect(front.port, "127.0.0.1");
  socket.end(request.replaceAll("\n", "\r\n"));
  return text(socket);
}

test("an answer of status 204 has no length", async () => {
  const { status, headers } = await answerTo({ statusCode: 204 });
  expect([status, headers.get("content-length")]).toEqual([204, null]);
});

describe("the event", () => {
  it.each([
    "/things/",
    "//things",
    "/things//1",
    "/things/all/",
  ])("of %s is no route's own, and keeps every slash", async (path) => {
    expect(await eventOf(path)).toMatchObject({ routeKey: "$default", rawPath: path });
  });

  it("has the shape of payload format 2.0", async () => {
    const event = await eventOf("/things?a=1", { headers: { "X-Case": "Kept", "user-agent": "test" } });
    const { host } = new URL(base);
    expect(event).toMatchObject({
      version: "2.0",
      routeKey: "GET /things",
      rawPath: "/things",
      rawQueryString: "a=1",
      queryStringParameters: { a: "1" },
      isBase64Encoded: false,
      requestContext: {
        domainName: host,
        domainPrefix: "127",
        http: { method: "GET", path: "/things", protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "test" },
        routeKey: "GET /things",
        stage: "$default",
      },
    });
    const second = Math.floor(event.requestContext.timeEpoch / 1000).toString(16);
    expect(event.headers).toMatchObject({
      "x-case": "Kept",
      "x-amzn-trace-id": expect.stringMatching(new RegExp(`^Root=1-${second}-[0-9a-f]{24}$`)),
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-port": String(front.port),
      "x-forwarded-proto": "http",
    });
    expect(event.requestContext.time).toMatch(/^\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
    expect(event.requestContext.timeEpoch).toBeCloseTo(Date.now(), -4);
  });

  it("leaves out what the request does not have", async () => {
    const event = await eventOf("/things");
    for (const name of ["queryStringParameters", "pathParameters", "cookies", "body"]) {
      expect(event).not.toHaveProperty(name);
    }
  });

  it("joins repeated parameters and headers with commas and splits cookies", async () => {
    await sendRaw(
      "GET /things?a=1&a=2&b HTTP/1.1\nHost: x\nX-A: 1\nX-A: 2\nAuthorization: 1\nAuthorization: 2\nCookie: c=1; d=2\nConnection: close\n\n",
    );
    const event = events.at(-1);
    expect(event?.queryStringParameters).toEqual({ a: "1,2", b: "" });
    expect(event?.headers).toMatchObject({ "x-a": "1,2", authorization: "1,2" });
    expect(event?.headers).not.toHaveProperty("cookie");
    expect(event?.cookies).toEqual(["c=1", "d=2"]);
  });

  it("adds the address that it came from to those that proxies name, and says itself how it came", async () => {
    const { headers } = await eventOf("/things", {
      headers: { "x-forwarded-for": "203.0.113.9", "x-forwarded-port": "443", "x-forwarded-proto": "https" },
    });
    expect(headers).toMatchObject({
      "x-forwarded-for": "203.0.113.9, 127.0.0.1",
      "x-forwarded-port": String(front.port),
      "x-forwarded-proto": "http",
    });
  });

  it("decodes path and parameters, plus signs to spaces, and keeps the raw query string", async () => {
    const event = await eventOf("/things/a%20b?q=%2B44+1%C3%A9", { method: "PUT" });
    expect(event.pathParameters).toEqual({ id: "a b" });
    expect(event.rawPath).toBe("/things/a b");
    expect(event.queryStringParameters).toEqual({ q: "+44 1é" });
    expect(event.rawQueryString).toBe("q=%2B44+1%C3%A9");
  });

  it("leaves percent escapes that mean nothing as they are", async () => {
    const event = await eventOf("/%ff%zz%?%E0%A4%A=%C3&&=1&__proto__=x");
    expect(event.rawPath).toBe("/%ff%zz%");
    expect(event.queryStringParameters).toEqual(
      Object.fromEntries([
        ["%E0%A4%A", "%C3"],
        ["", "1"],
        ["__proto__", "x"],
      ]),
    );
  });

  it("carries JSON as text, and everything else, forms, compressed bodies and other charsets too, as base64", async () => {
    const send = (type: string, more = {}) =>
      eventOf("/things", { method: "POST", body: "{}", headers: { "content-type": type, ...more } });
    expect(await send("application/json; charset=utf-8")).toMatchObject({ body: "{}", isBase64Encoded: false });
    expect(await send("application/x-www-form-urlencoded")).toMatchObject({ body: "e30=", isBase64Encoded: true });
    expect(await send("application/json", { "content-encoding": "gzip" })).toMatchObject({ isBase64Encoded: true });
    const latin1 = { method: "POST", body: Buffer.from('"Jos\u00e9"', "latin1") };
    const sent = await eventOf("/things", { ...latin1, headers: { "content-type": "application/json" } });
    expect(sent).toMatchObject({ body: latin1.body.toString("base64"), isBase64Encoded: true });
  });
});

describe("the route", () => {
  it.each([
    ["GET", "/things", "GET /things"],
    ["HEAD", "/things", "$default"],
    ["GET", "/things/", "$default"],
    ["PUT", "/things/7", "PUT /things/{id}"],
    ["PUT", "/things/7/8", "$default"],
    // A fixed path goes before a place in it, but only for its own methods.
    ["PUT", "/things/all", "PUT /things/all"],
    ["GET", "/things/all", "GET /things/{id}"],
    ["DELETE", "/things/all", "$default"],
    ["GET", "/things//", "$default"],
    ["GET", "/Things", "$default"],
  ])("of %s %s is %s", async (method, path, routeKey) => {
    expect((await eventOf(path, { method })).routeKey).toBe(routeKey);
  });
});

describe("the report", () => {
  const body = '{"code":"token_missing"}';

  it("has the names of the query, the function with its output, and the status and code of a refusal", async () => {
    result = { statusCode: 401, headers: { "content-type": "application/problem+json; charset=utf-8" }, body };
    const began = performance.now();
    await fetch(`${base}/things?a=1&b=2&a=3`);
    const report = requests.at(-1);
    expect(report?.milliseconds).toBeLessThan(performance.now() - began);
    const { requestId } = events.at(-1)?.requestContext ?? {};
    const said = { functionName: "list-things", output: "said\n", requestId };
    expect(report).toMatchObject({ queryNames: ["a", "b"], status: 401, code: "token_missing", ...said });
    expect(report?.milliseconds).toBeGreaterThan(0);
  });

  it("has no code of another answer", async () => {
    await answerTo({ statusCode: 200, headers: { "content-type": "application/json" }, body });
    expect(requests.at(-1)?.code).toBeUndefined();
  });
});

describe("the answer", () => {
  it("carries status, headers and body of the function's result", async () => {
    const headers = { "Content-Type": "text/x", Total: 3 };
    const response = await answerTo({
      statusCode: 201,
      headers,
      body: "aGk=",
      isBase64Encoded: true,
    });
    expect(response.status).toBe(201);
    expect(response.headers.get("content-type")).toBe("text/x");
    expect(response.headers.get("total")).toBe("3");
    expect(response.headers.get("vary")).toBeNull();
    // A client sends its next call by the same connection.
    expect(response.headers.get("keep-alive")).toBe("timeout=60");
    expect(await response.text()).toBe("hi");
  });

  it.each([
    ["the function fails", new Error("secret detail")],
    ["there is no result", undefined],
    ["the result has no status", { plain: true }],
    ["the status is no status", { statusCode: "fine" }],
    ["the status is too small", { statusCode: 99 }],
    ["the status is too large", { statusCode: 600 }],
    ["the status is no whole number", { statusCode: 200.5 }],
    ["the body is no text", { statusCode: 200, body: 7 }],
    ["a header cannot be sent", { statusCode: 200, headers: { "x-bad": "a\nb" } }],
  ])("is a 500 without detail when %s", async (_, given) => {
    const response = await answerTo(given);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: "Internal Server Error" });
  });

  it("is a 500 with the reason when the function does not compile", async () => {
    const reason = "functions/finance/list-invoices.ts:7:3: ERROR: Expected identifier";
    const response = await answerTo(Object.assign(new Error(reason), { errors: [] }));
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: "Internal Server Error", reason });
  });

  it("is 413 to a body over 10 MB, which reaches no function", async () => {
    const most = 10 * 1024 * 1024;
    const { body } = await eventOf("/things", { method: "POST", body: Buffer.alloc(most) });
    expect(body).toBe(Buffer.alloc(most).toString("base64"));
    const before = events.length;
    const response = await fetch(`${base}/things`, { method: "POST", body: Buffer.alloc(most + 1) });
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ message: "Request Entity Too Large" });
    expect(events.length).toBe(before);
  });
});

test.each([
  "/_local",
  "/_local/",
  "/_local/inbox?x=1",
])("%s is no part of the API, and has no CORS headers", async (path) => {
  const response = await fetch(base + path, { headers: { origin: "https://app.example" } });
  expect(await response.text()).toBe(`local ${path}`);
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
});
