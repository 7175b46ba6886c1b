import { request as httpRequest, type IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openDesk } from "../../../infra/local/desk/desk.ts";
import { refusalOf } from "../../../infra/local/desk/guard.ts";
import { viewInbox } from "../../../infra/local/desk/inbox-views.ts";
import type { DeskOptions } from "../../../infra/local/desk/sources.ts";
import type { ShownPerson } from "../../../infra/local/desk/views.ts";
import { type InboxEntry, openInbox } from "../../../infra/runtime/aws/inbox.ts";
import type { FrontRequest } from "../../../infra/runtime/gateway/http-server.ts";
import { type HttpService, startHttpService } from "../../../infra/runtime/http-service.ts";
import { loginKey } from "../../../shared/people/logins.ts";
import { type Key, recordKey } from "../../../shared/table/table.ts";
import { watchCalls } from "../../support/faults/aws-calls.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { asEvent, record, requestOf } from "./happenings.ts";

const inbox = openInbox();
const time = "2026-05-10T12:00:00.000Z";
const options = {
  inbox,
  lan: false,
  placesDirectory: newFolder(),
  stack: {
    routes: [{ routeKey: "ANY /docs" }],
    schedules: [{ functionName: "mark-overdue" }, { functionName: "rotate-signing-key" }],
  },
  environment: { OUTBOUND_BUS_NAME: "out" },
  buses: { past: (name: string) => [{ id: "1", detail: { type: `of ${name}`, subject: "timesheet/1", time } }] },
  run: async (name: string) => {
    if (name !== "mark-overdue") throw new Error("It failed");
    ran.push(name);
  },
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

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(() => service.close());

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends any header, the Host too. */
function ask(path: string, { method = "GET", headers = {}, body = "" }: Sent = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port: service.port, host: "127.0.0.1", path, method, headers }, resolve);
    sent.on("error", reject).end(body);
  });
}

async function send(path: string, sent?: Sent) {
  const answer = await ask(path, sent);
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

const paths = [
  "/_local/",
  "/_local/inbox",
  "/_local/desk.js",
  "/_local/desk/live",
  "/_local/desk/requests",
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

  test.each([
    ["127.0.0.1", 80, "localhost"],
    ["::1", 3000, "127.0.0.1:3000"],
    ["::ffff:127.0.0.1", 3000, "localhost:3000"],
  ])("no caller at %s, port %i, Host %s", (remoteAddress, localPort, host) => {
    const socket = { remoteAddress, localAddress: remoteAddress, localPort };
    const request = { socket, method: "GET", headers: { host } } as unknown as IncomingMessage;
    expect(refusalOf(request, { lan: false, token })).toBeUndefined();
  });
});

test("the documentation page's choice of a user gets the demo users and the token of changes, its script neither", async () => {
  const { status, headers, body } = await send("/_local/desk/start", {
    headers: { "sec-fetch-site": "same-origin" },
  });
  expect([status, headers["cross-origin-resource-policy"]]).toEqual([200, "same-origin"]);
  const { deskToken, callers, docs } = JSON.parse(body);
  expect([deskToken, docs]).toEqual([token, "/docs"]);
  expect(callers).toHaveLength(6);
  expect(callers[1]).toMatchObject({ id: 2, name: "Owen Pryce", role: "operator" });
  for (const { role, path } of callers) expect(path.includes("/users/me")).toBe(role === "driver");
  const { routes } = options.stack;
  options.stack.routes = [];
  expect(JSON.parse((await send("/_local/desk/start")).body).docs).toBeNull();
  options.stack.routes = routes;
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
    ["POST", "desk/run", 200, body, "mark-overdue"],
    ["POST", "desk/run", 400, JSON.stringify({ function: "rotate-signing-key" }), "It failed"],
    ["POST", "desk/run", 400, JSON.stringify({ function: "sign-in" }), "No schedule calls sign-in"],
    ["POST", "desk/run", 400, "", "No schedule calls undefined"],
    ["POST", "desk/nothing", 404, body, "Not Found"],
    ["POST", "", 404, body, "Not Found"],
    ["POST", "inboxrun", 404, body, "Not Found"],
    ["PUT", "desk/run", 404, body, "Not Found"],
    ["POST", "desk/start", 404, "", "Not Found"],
    ["POST", "desk/run", 400, "no JSON", "JSON"],
    ["POST", "desk/run", 413, "x".repeat(70_000), "Too Large"],
  ])("with it, %s %s, is answered with %i", async (method, place, status, sent, said) => {
    ran.length = 0;
    const answer = await send(`/_local/${place}`, { method, headers: { "x-desk-token": token }, body: sent });
    expect(answer).toMatchObject({ status, body: expect.stringContaining(said) });
    expect(ran).toEqual(status === 200 ? ["mark-overdue"] : []);
  });

  test.each([
    ["POST", "run", "Not for this request: the token of this start is missing."],
  ])("%s %s from another computer, with --lan, without a token: %s", async (method, what, said) => {
    const socket = { remoteAddress: "192.168.1.7", localAddress: "192.168.1.2", localPort: 3000 };
    const headers = { host: "192.168.1.2:3000" };
    const asked = { socket, method, url: `/_local/desk/${what}`, headers } as unknown as IncomingMessage;
    const response = new ServerResponse(asked);
    const ended = vi.spyOn(response, "end");
    openDesk(() => ({ ...options, lan: true })).answer(asked, response);
    await vi.waitFor(() => expect(ended).toHaveBeenCalled(), { timeout: 10_000 });
    expect(String(ended.mock.calls[0]?.[0])).toContain(said);
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

test.each([
  ["/_local", 302, "", undefined],
  ["/_local/desk.svg", 200, "<svg", "image/svg+xml"],
  ["/_local/desk.css", 200, "{", "text/css"],
  ["/_local/desk.js", 200, "/_local/", "text/javascript"],
  ["/_local/outbound", 200, '[\n  {\n    "type": "of out",', "application/json"],
  ["/_local/desk/requests", 200, "[]", "application/json"],
  ["/_local/desk/nothing", 404, "newest 500", "application/json"],
  ["/_local/desk/constructor", 404, "newest 500", "application/json"],
  ["/_local/desk/story?id=none", 404, "newest 500", "application/json"],
  ["/_local/home", 404, "begins with Requests", "application/json"],
  ["/_local/data/timesheet", 404, "npm run -s local -- --help", "application/json"],
  ["/_local/events", 404, "/_local/#/inbox", "application/json"],
  ["/_local/nothing", 404, "Not Found", "application/json"],
])("%s is answered with %i, %s", async (path, status, part, type) => {
  const { headers, ...answer } = await send(path);
  expect(answer).toEqual({ status, body: expect.stringContaining(part) });
  expect(headers["content-type"]?.split(";")[0]).toBe(type);
});

test("the page hears once of each message, request, call and change, until it is closed", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const answer = await ask("/_local/desk/live");
  let heard = "";
  answer.setEncoding("utf8").on("data", (chunk) => {
    heard += chunk;
  });
  const listeners = desk.alongside({});
  const take = desk.openStream("arn");
  const happenings = [
    () => {},
    () => inbox.add({ channel: "sms", to: "+447700900001", subject: null, text: "T", html: null }),
    () => listeners.onRequest(requestOf("one")),
    () => listeners.onWork({ functionName: "x", event: {}, records: 1, milliseconds: 1, output: "" }),
    () => take(asEvent(record("e1", "TIMESHEET#1", "TIMESHEET", 1))),
  ];
  for (const [at, happen] of happenings.entries()) {
    await happen();
    if (at > 0) vi.advanceTimersByTime(300);
    await vi.waitFor(() => expect(heard.match(/^data: .*\n\n/gm)).toHaveLength(at + 1), { timeout: 10_000 });
  }
  expect(await send("/_local/desk/people")).toMatchObject({ body: '{"people":[],"total":0}' });
  vi.advanceTimersByTime(3_000);
  expect(await send("/_local/desk/requests")).toMatchObject({ status: 200 });
  expect(heard.match(/data/g)).toHaveLength(happenings.length);
  answer.destroy();
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0), { timeout: 10_000 });
});

test("views show whom the stream brought, and ask nothing of AWS", async () => {
  const asked: string[] = [];
  watchCalls((call, send) => {
    asked.push(call.command);
    return send();
  });
  const key = recordKey("USER", 7);
  const user = { ...key, id: 7, role: "driver", company_id: null, record: { first_name: "Wren", last_name: "Ashby" } };
  const dynamodb = { Keys: marshall(key), NewImage: marshall(user) };
  await desk.openStream("people")(asEvent({ eventID: "e2", eventName: "INSERT", dynamodb }));
  desk.alongside({}).onRequest(requestOf("views"));
  const views = ["start", "requests", "story?id=views", "inbox", "people"];
  const answers = await Promise.all(views.map((view) => send(`/_local/desk/${view}`)));
  expect(answers.map(({ status }) => status)).toEqual(views.map(() => 200));
  expect(answers.filter(({ body }) => body.includes("Wren Ashby"))).toHaveLength(3);
  expect(asked).toEqual([]);
});

test("the inbox is JSON for commands; a browser is led to the desk's", async () => {
  const { status, body } = await send("/_local/inbox");
  expect({ status, entries: JSON.parse(body) }).toEqual({ status: 200, entries: inbox.entries() });
  const browser = await send("/_local/inbox", { headers: { accept: "text/html,*/*" } });
  expect(browser).toMatchObject({ status: 302, headers: { location: "/_local/#/inbox" } });
});

test("an outgoing event is among the messages, at its time", async () => {
  const { body } = await send("/_local/desk/inbox");
  const event = { channel: "event", to: "of out", subject: "timesheet/1", person: null, at: Date.parse(time) };
  expect(JSON.parse(body).at(-1)).toMatchObject(event);
  expect(JSON.parse(JSON.parse(body).at(-1).text)).toEqual({ type: "of out", subject: "timesheet/1", time });
});

test("a mail is served without script, network and origin; what there is not is 404", async () => {
  inbox.add({ channel: "email", to: "a@b.example", subject: "S", text: "T", html: null });
  const [plain, ...others] = viewInbox(inbox.entries(), { ownerOf: () => undefined });
  const { status, headers, body } = await send(`/_local/desk/mail/${others.at(-1)?.id}`);
  expect([status, body]).toEqual([200, "<script>x()</script><p>hi"]);
  expect(await send(`/_local/desk/mail/${plain?.id}`)).toMatchObject({ status: 404 });
  expect(headers["content-security-policy"]).toMatch(
    /^sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:/,
  );
  expect(await send("/_local/desk/mail/0")).toMatchObject({ status: 404 });
});

const wren: ShownPerson = { id: 7, name: "Wren", role: "operator", companyId: null, company: null, logins: [] };
const push = { subject: "Paid", text: "140 GBP", pin: null, person: null };
test.each<[InboxEntry["channel"], string, string | null, object]>([
  ["push", "token", JSON.stringify({ aps: { alert: { title: "Paid", body: "140 GBP" } } }), push],
  [
    "push",
    "token",
    JSON.stringify({ fcmV1Message: { message: { notification: { title: "Paid", body: "140 GBP" } } } }),
    push,
  ],
  ["push", "other", "123456", { ...push, subject: "Push", text: "123456" }],
  ["push", "token", null, { ...push, subject: "Push", text: "" }],
  ["email", "Wren@example.com", "Your pin: 123456", { subject: "S", pin: "123456", person: { id: 7, name: "Wren" } }],
  ["sms", "+447700900001", "Paid", { subject: "S", text: "Paid", pin: null, person: null }],
])("a message by %s to %s shows the words that a person reads: %s", (channel, to, text, shown) => {
  const inbox = openInbox();
  inbox.add({ channel, to, subject: "S", text, html: text });
  const ownerOf = ({ pk }: Key) => (pk === loginKey("wren@example.com").pk ? wren : undefined);
  expect(viewInbox(inbox.entries(), { ownerOf })).toMatchObject([{ channel, to, hasHtml: text !== null, ...shown }]);
});

test("a fault of the desk is printed once, and is none of a request, a worker or the stream", async () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
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
});
