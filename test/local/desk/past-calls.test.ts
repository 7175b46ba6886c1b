import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { openHistory } from "../../../infra/local/desk/past-calls.ts";
import { storyOf } from "../../../infra/local/desk/story.ts";
import { splitTarget } from "../../../infra/local/gateway/gateway-event.ts";
import { addRun, asEvent, line, message, record, requestOf } from "./happenings.ts";

const index = { person: () => undefined, hasDevice: () => false };

describe("a request that is sent again", () => {
  const storyAbout = (more: Parameters<typeof requestOf>[1]) => {
    const history = openHistory();
    history.addRequest(requestOf("one", more));
    return storyOf("one", { history, index, messages: [] });
  };

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

describe("memory", () => {
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
