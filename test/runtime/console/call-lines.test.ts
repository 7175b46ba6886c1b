import { describe, expect, it } from "vitest";
import { requestText, workText } from "../../../infra/runtime/console/call-lines.ts";
import type { Style } from "../../../infra/runtime/console/style.ts";
import { styleOf } from "../../../infra/runtime/console/style.ts";
import type { FrontRequest } from "../../../infra/runtime/gateway/http-server.ts";
import { root } from "../../../infra/support/root.ts";

const plain: Style = (_, text) => text;
const now = new Date("2026-05-04T10:11:12Z");
const requestId = "c0ffee00-0000-4000-8000-000000000000";
const request: FrontRequest = {
  method: "GET",
  path: "/api/v1/jobs",
  queryNames: ["page", "per_page"],
  status: 200,
  requestId,
  output: "",
  milliseconds: 12.4,
  functionName: "list-jobs",
};
const work = { functionName: "deliver-pin", event: {}, records: 1, milliseconds: 40, output: "" };

describe("a request", () => {
  it("is one line: time, method, path with query names, status, operation, milliseconds, id", () => {
    expect(requestText(request, now, plain)).toBe(
      `10:11:12 GET /api/v1/jobs?page&per_page 200 list-jobs 12 ms ${requestId}`,
    );
    const unrouted = { ...request, queryNames: [], functionName: undefined, requestId: undefined, status: 413 };
    expect(requestText(unrouted, now, plain)).toBe("10:11:12 GET /api/v1/jobs 413 12 ms");
  });

  it("says in a line of its own that its page's origin is refused, and shows nothing that could move the cursor", () => {
    const [first, second, ...more] = requestText(
      { ...request, refusedOrigin: "http://a\u001b[2J\nb" },
      now,
      plain,
    ).split("\n");
    expect(first).toBe(requestText(request, now, plain));
    expect(second).toContain(
      "keeps this answer from pages of http://a\\u001b[2J\\u000ab: it is no origin of the stage's",
    );
    expect(more).toEqual([]);
  });

  it("names the code it was refused with", () => {
    expect(requestText({ ...request, status: 401, code: "token_missing" }, now, plain)).toContain(
      " 401 token_missing list-jobs ",
    );
  });

  it("shows nothing of a stranger's that could move the cursor, in path, names and what is logged", () => {
    const strange = {
      ...request,
      path: "/a\u001b[2J\n/b\u202e",
      queryNames: ["c\u009b1m"],
      output: "said \u001b[31mred\r\n",
    };
    const text = requestText(strange, now, plain);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(text).toContain("/a\\u001b[2J\\u000a/b\\u202e?c\\u009b1m");
    expect(text).toContain("\n  said \\u001b[31mred\\u000d");
  });

  it("shows what its function wrote, and of the service's log lines those that warn or failed", () => {
    const lines = [
      { level: "info", message: "answered", timestamp: "x", operation: "list-jobs", status: 200 },
      { level: "info", message: "gone", timestamp: "x", stack: "    at b (/x/z.ts:3:4)" },
      { level: "warn", message: "slow", timestamp: "x", operation: "list-jobs", request_id: "r", table_ms: 12 },
      {
        level: "error",
        message: "fault",
        timestamp: "x",
        error: "TypeError",
        error_message: "no job",
        impact: "Nobody sees jobs.",
        stack: "    at a (/x/y.ts:1:2)",
      },
    ].map((line) => `${JSON.stringify(line)}\n`);
    const text = requestText({ ...request, output: `found 3\n{"own":1}\n${lines.join("")}` }, now, plain);
    expect(text.split("\n").slice(1)).toEqual([
      "  found 3",
      '  {"own":1}',
      "  info gone",
      "    at b (/x/z.ts:3:4)",
      "  warn slow table_ms=12",
      "  error fault TypeError: no job",
      "    at a (/x/y.ts:1:2)",
    ]);
  });

  it("that logs a megabyte, in one line or in many, takes a screen at most, and says where the rest is", () => {
    const linesOf = (output: string) =>
      requestText({ ...request, output }, now, plain)
        .split("\n")
        .slice(1);
    const [line, lines] = [`  ${"x".repeat(400)}`, Array.from({ length: 60 }, () => "  line")];
    expect(linesOf("x".repeat(400))).toEqual([line]);
    expect(linesOf("x".repeat(1_000_000))).toEqual([`${line}… (999600 more characters in the log file)`]);
    expect(linesOf("line\n".repeat(60))).toEqual(lines);
    expect(linesOf("line\n".repeat(200_000))).toEqual([...lines, "  … 199940 more lines in the log file"]);
  });

  it.each([
    [399, "green"],
    [400, "yellow"],
    [499, "yellow"],
    [500, "red"],
  ])("of status %i is %s", (status, look) => {
    const styled = requestText({ ...request, status }, now, (name, text) => `<${name}>${text}`);
    expect(styled).toContain(`<${look}>${status}`);
  });

  it("that failed as a whole shows type, reason and stack, with places in the project relative to it", () => {
    const error = Object.assign(new Error("too far"), {
      errorType: "RangeError",
      trace: `RangeError: too far\n    at b (/x/z.ts:3:4)\n    at c (file://${root}shared/z.ts:5:6)`,
    });
    const text = requestText({ ...request, status: 500, error }, now, plain);
    expect(text.split("\n").slice(1)).toEqual([
      "  RangeError: too far",
      "    at b (/x/z.ts:3:4)",
      "    at c (shared/z.ts:5:6)",
    ]);
  });
});

describe("a worker's call", () => {
  it("that went well is not shown, unless it wrote something", () => {
    expect(workText(work, now, plain)).toBeUndefined();
    expect(workText({ ...work, output: '{"level":"info","message":"processed"}\n' }, now, plain)).toBeUndefined();
    expect(workText({ ...work, output: "hello\n" }, now, plain)).toBe(
      "10:11:12 deliver-pin with 1 record 40 ms\n  hello",
    );
  });

  it("that failed is shown with its reason", () => {
    const text = workText({ ...work, records: 3, error: new Error("down") }, now, plain);
    expect(text).toBe("10:11:12 deliver-pin with 3 records failed, is called again, 40 ms\n  down");
  });
});

it("there are colours on a terminal that has them, and nowhere else", () => {
  expect(styleOf({ isTTY: true, hasColors: () => true })("red", "x")).toBe("\u001b[31mx\u001b[39m");
  expect(styleOf({ isTTY: true, hasColors: () => false })("red", "x")).toBe("x");
  expect(styleOf({})("red", "x")).toBe("x");
});
