import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { openHistory } from "../../../infra/local/desk/past-calls.ts";
import { storyOf } from "../../../infra/local/desk/story.ts";
import { splitTarget } from "../../../infra/runtime/gateway/gateway-event.ts";
import type { FrontRequest } from "../../../infra/runtime/gateway/http-server.ts";
import { root } from "../../../infra/support/root.ts";
import { addRun, asEvent, line, message, record, requestOf } from "./happenings.ts";

const index = { person: () => undefined, hasDevice: () => false };

function storyAbout(more: Parameters<typeof requestOf>[1], request: Partial<FrontRequest> = {}) {
  const history = openHistory();
  history.addRequest({ ...requestOf("one", more), ...request });
  return storyOf("one", { history, index, messages: [] });
}

describe("an answer", () => {
  const answered = (type: string, body: Buffer) =>
    storyAbout({}, { code: "busy", answer: { status: 200, headers: { "content-type": type, cookie: "c" }, body } });

  test.each([
    ["text", "text/html; charset=utf-8", Buffer.from("<p>hi"), "<p>hi"],
    ["JSON", "application/problem+json", Buffer.from('{"pin":"123456"}'), '{"pin":"(masked)"}'],
    ["bytes", "image/png", Buffer.from("abc"), "(3 bytes)"],
    ["nothing", "text/html", Buffer.alloc(0), null],
  ])("of %s has its headers, its code and what may be kept of its body", (_, type, body, kept) => {
    const story = answered(type, body);
    expect(story?.answer).toEqual({ headers: { "content-type": type, cookie: "(masked)" }, body: kept });
    expect(story?.row).toMatchObject({ code: "busy", method: "PATCH", status: 200 });
  });

  test("that a gateway gave without a call is none of a request", () => {
    const history = openHistory();
    history.addRequest({ ...requestOf("one"), event: undefined });
    history.addRequest({ ...requestOf("two"), answer: undefined });
    expect(history.requests).toEqual([]);
  });
});

describe("a request that is sent again", () => {
  test.each<[{ query?: string; body?: string }, boolean]>([
    [{}, true],
    [{ query: "q=1", body: '{"a":1}' }, true],
    [{ query: "pin=123456" }, false],
    [{ body: '{"user":{"password":"hunter22"}}' }, false],
  ])("is %o, without its secrets, or it is said why not: %s", (more, isSendable) => {
    const story = storyAbout(more);
    expect(story?.unsendable === null).toBe(isSendable);
    expect(JSON.stringify(story)).not.toMatch(/hunter22|123456|secret-bearer/);
    expect(story?.event?.body === undefined).toBe(!("body" in more));
    const { pin: _, ...parameters } = Object.fromEntries(new URLSearchParams(more.query ?? ""));
    if (more.query) expect(story?.event).toHaveProperty("queryStringParameters", expect.objectContaining(parameters));
  });

  test("has its body as text where it came as bytes", () => {
    const body = Buffer.from('{"a":"é"}').toString("base64");
    const story = storyAbout({ body, isBase64Encoded: true });
    expect(story).toMatchObject({ event: { body: '{"a":"é"}', isBase64Encoded: false }, unsendable: null });
  });

  test("is none where its bytes are no text: they are not kept, compressed secrets neither", () => {
    const body = Buffer.from([0x1f, 0x8b, 0xff, 0xfe]).toString("base64");
    const story = storyAbout({ body, isBase64Encoded: true });
    expect(story).toMatchObject({ event: { body: "(4 bytes)", isBase64Encoded: false } });
    expect(story?.unsendable).toContain("bytes");
  });

  test.each([
    "/api/v1/a?b#c d/é%",
    "/api/v1/%ff",
    "//evil.example/x",
  ])("has an address that means its path: %s", (path) => {
    const { target = "" } = storyAbout({ path, query: "q=1" })?.row ?? {};
    expect(splitTarget(target)).toEqual({ path, query: "q=1" });
    const url = new URL(target, "http://127.0.0.1:3000");
    expect([url.host, url.pathname + url.search + url.hash]).toEqual(["127.0.0.1:3000", target]);
  });
});

describe("what functions wrote", () => {
  test("has the fields of its lines masked, and of a line that is too long no half", () => {
    const history = openHistory();
    const long = line({ note: "x".repeat(40_000), password: "hunter22" });
    const output = `${line({ password: "hunter22", request_id: "s-1" })}${line({ list: { pin: [123_456] } })}${long}`;
    addRun(history, "mark-overdue", {}, output);
    const [run] = history.runs;
    expect(JSON.stringify(run?.lines)).not.toMatch(/hunter22|123456/);
    expect(run?.lines.at(-1)?.fields.message).toBe(`… (${long.length} more characters)`);
  });
});

test("places in sources are paths of the project", () => {
  const history = openHistory();
  const stack = `    at one (${root}shared/a.ts:1:2)\n    at two (${pathToFileURL(root)}functions/b.ts:3:4)`;
  addRun(history, "intake", {}, line({ stack }), { error: Object.assign(new Error("It failed"), { trace: stack }) });
  const [run] = history.runs;
  expect(run?.lines[0]?.fields.stack).toBe("    at one (shared/a.ts:1:2)\n    at two (functions/b.ts:3:4)");
  expect(run?.error).toBe("It failed\n    at one (shared/a.ts:1:2)\n    at two (functions/b.ts:3:4)");
});

test("the error of a call is kept with its kind and its trace, without tokens; blank lines are not", () => {
  const history = openHistory();
  const error = Object.assign(new Error(`of eyJhbGciOiJFUzI1NiJ9.${"a".repeat(20)}.b`), {
    errorType: "Fault",
    trace: "at x",
  });
  const output = `\n \n${line({ request_id: "s-1" })}${line({ request_ids: ["s-2"] })}plain\n`;
  addRun(history, "mark-overdue", {}, output, { error });
  addRun(history, "mark-overdue", {}, output, { error: new Error("x".repeat(40_000)) });
  addRun(history, "mark-overdue", {}, output, { error: "lost" as unknown as Error });
  const [run, long, other] = history.runs;
  expect(run).toMatchObject({ error: "Fault: of (masked)\nat x", records: undefined });
  expect(run?.lines.map(({ fields }) => fields.message)).toEqual(["processed", "processed", "plain"]);
  expect(long?.error).toMatch(/^x+… \(7232 more characters\)$/);
  expect([other?.error, run && other && other.at - run.at < 60_000]).toEqual(["lost", true]);
  const { runs } = storyOf("s-1", { history, index, messages: [] })?.rows[0] ?? {};
  expect(runs?.[0]?.lines).toHaveLength(2);
});

describe("memory", () => {
  test("holds the newest 1,000 calls and 2,000 changes", () => {
    const history = openHistory();
    for (let each = 0; each <= 2_000; each += 1) {
      if (each <= 1_000) addRun(history, `call ${each}`, {}, "");
      history.addChanges(asEvent(record(`e${each}`, "TIMESHEET#1", "TIMESHEET", 1)));
    }
    expect([history.runs.length, history.runs[0]?.functionName]).toEqual([1_000, "call 1"]);
    expect([history.changes.length, history.changes[0]?.eventId]).toEqual([2_000, "e1"]);
  });

  test("holds what is kept of long texts, not the texts", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const heap = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const long = () => Buffer.alloc(250_000, "x").toString();
    const history = openHistory();
    const before = heap();
    for (let each = 0; each < 100; each += 1) {
      addRun(history, "intake", asEvent(message(`m${each}`, long())), `a line of text\n${long()}`);
    }
    const megabytes = (heap() - before) / 1024 ** 2;
    expect(history.runs).toHaveLength(100);
    expect(megabytes).toBeLessThan(15);
  });

  test("holds the newest changes, up to 32 million characters of them", () => {
    const history = openHistory();
    for (let each = 0; each < 150; each += 1) {
      const note = { note: { S: "x".repeat(300_000) } };
      history.addChanges(asEvent(record(`e${each}`, "TIMESHEET#1", "TIMESHEET", 1, note)));
    }
    expect(history.changes.at(-1)?.eventId).toBe("e149");
    expect(history.changes.length).toBeGreaterThan(100);
    expect(JSON.stringify(history.changes).length).toBeLessThan(34_000_000);
  });
});
