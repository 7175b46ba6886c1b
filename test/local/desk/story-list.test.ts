import { describe, expect, test } from "vitest";
import { openHistory } from "../../../infra/local/desk/past-calls.ts";
import { requestRows } from "../../../infra/local/desk/story.ts";
import { latestChange } from "../../../infra/local/desk/views.ts";
import { addRun, afterRequest, asEvent, index, kindsOf, line, message, requestOf, storyIn } from "./happenings.ts";

describe("the list", () => {
  test("has the latest that succeeded and changed more than a session", () => {
    const history = openHistory();
    const requests = [
      ["paid", 200, "bulk-update-timesheets", "PATCH"],
      ["signed-in", 200, "sign-in", "POST"],
      ["refused", 400, "bulk-update-timesheets", "PATCH"],
      ["read", 200, "list-timesheets", "GET"],
    ] as const;
    for (const [at, [id, status, functionName, method]] of requests.entries()) {
      const request = requestOf(id);
      Object.assign(request.event?.requestContext ?? {}, { timeEpoch: at, http: { method } });
      history.addRequest({ ...request, status, functionName });
    }
    const rows = requestRows({ history, index });
    expect(rows.map(({ id }) => id)).toEqual(["read", "refused", "signed-in", "paid"]);
    expect(latestChange(rows)?.id).toBe("paid");
    expect(latestChange([])).toBeUndefined();
  });

  test.each([
    ["a line of an error", { level: "error", request_id: "one" }, {}, true],
    ["an error that it threw", { request_id: "one" }, { error: new Error("It failed") }, true],
    ["a line of an error about another", { level: "error", request_id: "two" }, {}, false],
    ["a warning", { level: "warn", request_id: "one" }, {}, false],
  ])("says of a request whose worker wrote %s whether something failed", (_, fields, more, isBad) => {
    const history = afterRequest();
    addRun(history, "notify", asEvent(message("m1", { requestId: "one" })), line(fields), more);
    expect(requestRows({ history, index }).find(({ id }) => id === "one")).toMatchObject({ status: 200, isBad });
  });

  test("has the caller of a request whose code did not run, by its token or API key; of a refused one nobody", () => {
    const history = openHistory();
    const payload = Buffer.from('{"sub":"7"}').toString("base64url");
    const request = (id: string, authorization: string, status: number, error?: Error) => {
      const sent = { ...requestOf(id), status, error, output: "" };
      Object.assign(sent.event?.headers ?? {}, { authorization });
      history.addRequest(sent);
    };
    request("uncompiled", `Bearer h.${payload}.s`, 500, new Error("It does not compile"));
    request("with a key", `Bearer wfk_0123abcd_7_12_${"s".repeat(43)}`, 500, new Error("It does not compile"));
    request("unreadable", "Bearer x", 500, new Error("It does not compile"));
    request("refused", `Bearer h.${payload}.s`, 401);
    const rows = requestRows({ history, index }).map(({ id, user, isBad }) => [id, user?.name, isBad]);
    expect(rows.sort()).toEqual([
      ["refused", undefined, false],
      ["uncompiled", "Wren Ashby", true],
      ["unreadable", undefined, true],
      ["with a key", "Wren Ashby", true],
    ]);
  });

  test("leaves out the files of the documentation page", () => {
    const history = openHistory();
    history.addRequest({ ...requestOf("one"), functionName: "get-docs" });
    expect(requestRows({ history, index })).toEqual([]);
  });

  test.each([
    ["of text", "hello", "message"],
    ["of null", "null", "message"],
    [
      "too long to keep",
      JSON.stringify({ "detail-type": "Record", source: "rota.example", detail: { note: "x".repeat(70_000) } }),
      "Record from rota.example",
    ],
    [
      "from a system with a long name",
      JSON.stringify({ "detail-type": "Record", source: "x".repeat(300) }),
      `Record from ${"x".repeat(188)}… (112 more characters)`,
    ],
  ])("and the story name a message %s", (_, body, title) => {
    const history = openHistory();
    addRun(history, "intake", asEvent(message("e-1", body)), line({ request_id: "e-1" }));
    expect(requestRows({ history, index })).toMatchObject([{ id: "e-1", target: title }]);
    expect(kindsOf(history, "e-1")).toEqual(["intake"]);
  });

  test("has work that no request began: an event of another system once, a schedule", () => {
    const history = afterRequest();
    const event = { "detail-type": "Record", source: "rota.example", detail: {} };
    const failed = line({ level: "error", message: "fault", request_id: "e-1", code: "fields_invalid" });
    addRun(history, "intake", asEvent(message("e-1", event)), failed);
    addRun(history, "intake", asEvent(message("e-1", event, "2")), failed);
    addRun(history, "mark-overdue", {}, line({ request_id: "s-1" }));
    addRun(history, "send-pushes", asEvent(message("m1", { requestId: "one" })), line({ request_id: "one" }));
    const rows = requestRows({ history, index });
    expect(rows.map(({ id, target, code }) => [id, target, code]).sort()).toEqual([
      ["e-1", "Record from rota.example", "fields_invalid"],
      ["one", "/api/v1/x", null],
      ["s-1", "mark-overdue", null],
    ]);
    expect(kindsOf(history, "e-1")).toEqual(["intake", "intake"]);
    expect(["e-1", "s-1"].map((id) => storyIn(history, id)?.title)).toEqual([
      "Record from rota.example",
      "mark-overdue ran on its schedule",
    ]);
  });

  test.each([
    ["an error that it threw", line({ request_id: "s-1" }), { error: new Error("It failed") }, 500, "fault"],
    ["a line of an error", line({ request_id: "s-1", level: "error" }), {}, 500, "fault"],
    [
      "a line of an error of another",
      `${line({ request_id: "s-1" })}${line({ request_id: "2", level: "error" })}`,
      {},
      200,
      null,
    ],
    ["nothing", line({ request_id: "s-1" }), {}, 200, null],
  ])("says of work with %s how it ended", (_, output, more, status, code) => {
    const history = openHistory();
    addRun(history, "mark-overdue", {}, output, more);
    addRun(history, "mark-overdue", {}, "");
    expect(requestRows({ history, index })).toMatchObject([{ id: "s-1", method: "schedule", status, code }]);
  });

  test("keeps the newest 500 requests, and of each bodies of 64 KB", () => {
    const history = openHistory();
    const body = JSON.stringify({ note: "x".repeat(200_000) });
    for (let each = 0; each < 503; each += 1)
      history.addRequest(requestOf(`r${each}`, each > 500 ? { body, answer: body } : {}));
    expect(history.requests.map(({ id }) => id).slice(0, 2)).toEqual(["r3", "r4"]);
    expect(history.requests).toHaveLength(500);
    expect(JSON.stringify(history.requests.at(-1)).length).toBeLessThan(2 * 66_000);
  });
});
