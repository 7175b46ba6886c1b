import { request as httpRequest, type IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openInbox } from "../../../infra/local/aws/inbox.ts";
import { openDesk } from "../../../infra/local/desk/desk.ts";
import { refusalOf } from "../../../infra/local/desk/guard.ts";
import type { DeskOptions } from "../../../infra/local/desk/sources.ts";
import type { FrontRequest } from "../../../infra/local/gateway/http-server.ts";
import { type HttpService, startHttpService } from "../../../infra/local/http-service.ts";
import { makeTemporaryFolder } from "../../../infra/local/temporary-folder.ts";

const inbox = openInbox();
const folder = makeTemporaryFolder("desk");
const options = {
  inbox,
  lan: false,
  placesDirectory: folder.path,
  stack: {
    routes: [{ routeKey: "GET /docs" }],
    schedules: [{ functionName: "mark-overdue", hour: 0, minute: 5, timeZone: "Europe/London" }],
  },
  run: async (name: string) => void ran.push(name),
  answerEvents: (_: IncomingMessage, response: ServerResponse) => response.end("events"),
} as unknown as DeskOptions;
const ran: string[] = [];
const desk = openDesk(() => options);
let service: HttpService;
let token: string;

beforeAll(async () => {
  service = await startHttpService(desk.answer);
  const { body } = await send("/_local/");
  token = /name="desk-token" content="([\w-]{32})"/.exec(body)?.[1] ?? "";
  inbox.add({ channel: "email", to: "a@b.example", subject: "S", text: "T", html: "<script>x()</script><p>hi" });
});

afterAll(async () => {
  await service.close();
  folder.remove();
});

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends any header, the Host too. */
async function send(path: string, { method = "GET", headers = {}, body = "" }: Sent = {}) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = httpRequest({ port: service.port, host: "127.0.0.1", path, method, headers }, resolve);
    sent.on("error", reject).end(body);
  });
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

const paths = [
  "/_local/",
  "/_local/inbox",
  "/_local/desk.js",
  "/_local/desk/live",
  "/_local/desk/data",
  "/_local/desk/start",
  "/_local/call-as.js",
  "/_local/events",
];

describe("the desk refuses, and never with its token,", () => {
  test.each([
    ["another Host", { host: "evil.example" }],
    ["a name that was led here", { host: "rebound.example:3000" }],
    ["the right name with another port", { host: "localhost:1" }],
    ["no Host's port", { host: "localhost" }],
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another port of this computer", { "sec-fetch-site": "same-site" }],
    ["another origin", { origin: "http://localhost:5173" }],
    ["a sandboxed frame", { origin: "null" }],
  ])("%s", async (_, headers) => {
    expect(token).toHaveLength(32);
    for (const path of paths) {
      const answer = await send(path, { headers });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.body).not.toContain(token);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  test.each([
    "192.168.1.7",
    "::ffff:10.0.0.2",
    "fe80::1",
    "",
    "127.0.0.1.evil",
  ])("a caller at %s, but with --lan", (remoteAddress) => {
    const socket = { remoteAddress, localAddress: "192.168.1.2", localPort: 3000 };
    const request = { socket, method: "GET", headers: { host: "192.168.1.2:3000" } } as unknown as IncomingMessage;
    expect(refusalOf(request, { lan: false, token })).toBeDefined();
    expect(refusalOf(request, { lan: true, token })).toBeUndefined();
    const elsewhere = { ...request, headers: { host: "192.168.1.9:3000" } } as unknown as IncomingMessage;
    expect(refusalOf(elsewhere, { lan: true, token })).toBeDefined();
  });
});

test("the documentation page's choice of a user gets the demo users and the token of changes, its script neither", async () => {
  const { status, headers, body } = await send("/_local/desk/start", {
    headers: { "sec-fetch-site": "same-origin" },
  });
  expect([status, headers["cross-origin-resource-policy"]]).toEqual([200, "same-origin"]);
  const { deskToken, callers, docs } = JSON.parse(body);
  expect([deskToken, docs]).toEqual([token, "/docs"]);
  expect(callers).toHaveLength(5);
  expect(callers[1]).toMatchObject({ id: 2, name: "Owen Pryce", role: "operator" });
  const script = await send("/_local/call-as.js");
  expect([script.status, script.body.includes(token), script.body.includes("Owen")]).toEqual([200, false, false]);
});

describe("a change", () => {
  const body = JSON.stringify({ function: "mark-overdue" });

  test.each(["", "x".repeat(32)])("needs the token of this start, not %j", async (given) => {
    const headers = { "x-desk-token": given };
    expect(await send("/_local/desk/run", { method: "POST", headers, body })).toMatchObject({ status: 403 });
    expect(await send(`/_local/desk/run?token=${token}`, { method: "POST", headers, body })).toMatchObject({
      status: 403,
    });
    expect(ran).toEqual([]);
  });

  test.each([
    ["run", 200, body, ["mark-overdue"]],
    ["run", 400, JSON.stringify({ function: "sign-in" }), []],
    ["webhook", 400, JSON.stringify({ url: "http://receiver.example/" }), []],
    ["nothing", 404, body, []],
    ["run", 400, "no JSON", []],
    ["run", 413, "x".repeat(70_000), []],
  ])("with it, %s, is answered with %i", async (place, status, sent, runs) => {
    ran.length = 0;
    const headers = { "x-desk-token": token };
    expect(await send(`/_local/desk/${place}`, { method: "POST", headers, body: sent })).toMatchObject({ status });
    expect(ran).toEqual(runs);
  });

  test.each([
    ["run", "the token of this start is missing"],
    ["webhook", "only this computer may use it"],
  ])("of %s from another computer, with --lan, without a token: %s", async (what, refusal) => {
    const socket = { remoteAddress: "192.168.1.7", localAddress: "192.168.1.2", localPort: 3000 };
    const headers = { host: "192.168.1.2:3000" };
    const asked = { socket, method: "POST", url: `/_local/desk/${what}`, headers } as unknown as IncomingMessage;
    const response = new ServerResponse(asked);
    const ended = vi.spyOn(response, "end");
    openDesk(() => ({ ...options, lan: true })).answer(asked, response);
    await vi.waitFor(() => expect(ended).toHaveBeenCalled());
    expect(String(ended.mock.calls[0]?.[0])).toContain(refusal);
  });

  test("of the event bus needs none from a command, and no page of another origin gets there", async () => {
    const headers = { "x-amz-target": "AWSEvents.PutEvents" };
    expect(await send("/_local/events", { method: "POST", headers })).toMatchObject({ status: 200, body: "events" });
    const foreign = { ...headers, origin: "http://evil.example" };
    expect(await send("/_local/events", { method: "POST", headers: foreign })).toMatchObject({ status: 403 });
  });
});

test("the page runs and shows what is of this origin alone, in no other page, and has its token in no address", async () => {
  const { headers, body } = await send("/_local/");
  expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
  expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  expect(headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
  expect([...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
    "/_local/desk.svg",
    "/_local/desk.css",
    "/_local/desk.js",
  ]);
  const { status, body: script } = await send("/_local/desk.js");
  expect(status).toBe(200);
  expect(script).not.toContain(token);
  expect(Buffer.byteLength(script)).toBeLessThan(60_000);
});

test("the inbox is JSON for commands; a browser is led to the desk's", async () => {
  const { status, body } = await send("/_local/inbox");
  expect({ status, entries: JSON.parse(body) }).toEqual({ status: 200, entries: inbox.entries() });
  const browser = await send("/_local/inbox", { headers: { accept: "text/html,*/*" } });
  expect(browser).toMatchObject({ status: 302, headers: { location: "/_local/#/inbox" } });
});

test("a mail is served without script, network and origin; what there is not is 404", async () => {
  const { htmlOf, viewInbox } = await import("../../../infra/local/desk/inbox-views.ts");
  const [mail] = viewInbox(inbox.entries(), { ownerOf: () => undefined });
  expect(htmlOf(inbox.entries(), mail?.id ?? "")).toContain("<script>");
  const { status, headers } = await send(`/_local/desk/mail/${mail?.id}`);
  expect(status).toBe(200);
  expect(headers["content-security-policy"]).toMatch(
    /^sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:/,
  );
  expect(await send("/_local/desk/mail/0")).toMatchObject({ status: 404 });
  expect(await send("/_local/other")).toMatchObject({ status: 404 });
});

test("a fault of the desk is printed once, and is none of a request, a worker or the stream", async () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const onRequest = vi.fn();
    const onWork = vi.fn();
    const faulty = openDesk(() => ({ ...options, placesDirectory: import.meta.filename }));
    const listeners = faulty.alongside({ onRequest, onWork });
    const strange = { event: {}, answer: { headers: {}, body: Buffer.alloc(0) } } as unknown as FrontRequest;
    listeners.onRequest(strange);
    listeners.onWork({ functionName: "x", event: null, records: 1, milliseconds: 1, output: "" });
    await faulty.openStream("arn")({ Records: [{}] });
    expect([onRequest.mock.calls.length, onWork.mock.calls.length]).toEqual([1, 1]);
    expect(written.mock.calls.map(([text]) => text)).toEqual([
      expect.stringMatching(/^The desk does not show everything: TypeError: .*\n$/),
    ]);
  } finally {
    written.mockRestore();
  }
});
