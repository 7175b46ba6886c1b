import { afterEach, describe, expect, test, vi } from "vitest";
import { openHistory } from "../../../infra/local/desk/past-calls.ts";
import { type InboxView, plural } from "../../../infra/local/desk/views.ts";
import {
  addRun,
  afterRequest,
  asEvent,
  changedBy,
  kindsOf,
  line,
  message,
  person,
  record,
  requestOf,
  storyIn,
} from "./happenings.ts";

afterEach(() => void vi.useRealTimers());

describe("the story of a request", () => {
  test("has its change, the runs that took it, their messages, and what they sent, in order; nothing of another request", () => {
    const history = afterRequest();
    history.addRequest(requestOf("two"));
    const changes = asEvent(
      record("e1", "TIMESHEET#1", "TIMESHEET", 1, changedBy("one")),
      record("e2", "TIMESHEET#2", "TIMESHEET", 1, changedBy("two")),
    );
    addRun(history, "notify", changes, line({ request_ids: ["one", "two"] }));
    history.addChanges(changes);
    const messages = ["one", "two"].map((requestId) => message(`m-${requestId}`, { requestId }));
    addRun(history, "deliver-notifications", asEvent(...messages), line({ request_id: "one" }));
    addRun(history, "deliver-notifications", asEvent(...messages.slice(1)), line({ request_id: "two" }));
    addRun(
      history,
      "send-pushes",
      asEvent(message("m3", { requestId: "one" })),
      line({ request_id: "one", pushes: 1 }),
      {
        milliseconds: 40,
      },
    );
    const push = { id: "push", channel: "push", at: Date.now() - 10 } as InboxView;
    const mail = { id: "mail", channel: "email", at: Date.now() - 10 } as InboxView;
    expect(kindsOf(history, "one", [push, mail]).sort()).toEqual(
      ["timesheet true", "notify", "deliver-notifications", "send-pushes", "push"].sort(),
    );
    const { rows = [] } = storyIn(history, "one", [push]) ?? {};
    expect(rows[0]?.layer).toBe("request");
    const taken = rows.flatMap(({ runs }) => runs).flatMap((run) => run.messages);
    expect(taken.map(({ id, queue, attempt }) => [id, queue, attempt]).sort()).toEqual([
      ["m-one", "Notifications queue", 1],
      ["m3", "Notifications queue", 1],
    ]);
    const [, ...followed] = rows.map(({ at }) => at);
    expect(followed).toEqual(followed.toSorted((a, b) => a - b));
    // A consumer cannot have begun before the change was there.
    const at = (title: string) => rows.findIndex((row) => row.title === title);
    expect(at("1 timesheet")).toBeLessThan(at("notify"));
  });

  test("has each write within the call that made it, from when it was asked for: it is seen only later", () => {
    vi.useFakeTimers({ now: 1_000, toFake: ["Date"] });
    const history = afterRequest({ milliseconds: 90 });
    vi.setSystemTime(1_150);
    const paid = asEvent(
      record("e1", "TIMESHEET#1", "TIMESHEET", 1, changedBy("one", "bulk-update-timesheets", 1_010)),
    );
    history.addChanges(paid);
    addRun(history, "keep-history", paid, line({ request_id: "one" }), { milliseconds: 20 });
    vi.setSystemTime(1_400);
    const delivery = asEvent(message("m1", { requestId: "one" }));
    addRun(history, "deliver-notifications", delivery, line({ request_id: "one" }), { milliseconds: 200 });
    vi.setSystemTime(1_450);
    history.addChanges(asEvent(record("e2", "USER#5", "NOTIFICATION#1", 1, changedBy("one"))));
    vi.setSystemTime(1_600);
    const push = asEvent(message("m2", { requestId: "one" }));
    addRun(history, "send-pushes", push, line({ request_id: "one" }), { milliseconds: 100 });
    // Two calls may have written it.
    history.addChanges(asEvent(record("e3", "COUNTERS#TIMESHEETS#1", "ALL#00", 1)));
    const written = storyIn(history, "one")?.rows.filter(({ layer }) => layer === "table") ?? [];
    expect(written.map(({ title, at, milliseconds }) => [title, at, milliseconds])).toEqual([
      ["1 timesheet", 1_010, 80],
      ["1 notification", 1_200, 200],
      ["1 more write", 1_600, 0],
    ]);
  });

  test("has a change that names no request where the work of this one may have written it: time and rights allow it", () => {
    const history = afterRequest();
    addRun(
      history,
      "keep-history",
      asEvent(record("e1", "TIMESHEET#1", "TIMESHEET", 1, changedBy("one"))),
      line({ request_id: "one" }),
    );
    const unnamed = (pk: string, sk: string) => record(`${pk}${sk}`, pk, sk, 4);
    history.addChanges(asEvent(unnamed("COUNTERS#TIMESHEETS#1", "ALL#00"), unnamed("KEYS", "KEY#1")));
    expect(kindsOf(history, "one")).toContain("list counter false");
    expect(kindsOf(history, "one")).toHaveLength(2);
  });

  test("has a write that two calls may have made at the moment when it was seen", () => {
    vi.useFakeTimers({ now: 1_000, toFake: ["Date"] });
    const history = afterRequest();
    vi.setSystemTime(1_004);
    addRun(history, "keep-history", asEvent(), line({ request_id: "one" }), { milliseconds: 0 });
    history.addChanges(asEvent(record("e1", "TIMESHEET#1", "TIMESHEET", 1)));
    const written = storyIn(history, "one")?.rows.find(({ layer }) => layer === "table");
    expect([written?.at, written?.milliseconds]).toEqual([1_004, 0]);
  });

  test.each([
    ["bulk-update-timesheets", "JOB#1", 999, 0],
    ["bulk-update-timesheets", "JOB#1", 1_000, 1],
    ["bulk-update-timesheets", "JOB#1", 1_255, 1],
    ["bulk-update-timesheets", "JOB#1", 1_256, 0],
    ["bulk-update-timesheets", "RESET#1", 1_100, 0],
    ["set-password", "RESET#1", 1_100, 1],
    ["list-timesheets", "JOB#1", 1_100, 0],
    ["unknown", "JOB#1", 1_100, 0],
  ])("takes a change of %s at 1000 for 5 ms, in %s, seen at %i, that names no request: %i", (functionName, pk, at, count) => {
    vi.useFakeTimers({ now: 1_000, toFake: ["Date"] });
    const history = openHistory();
    history.addRequest({ ...requestOf("one"), functionName });
    vi.setSystemTime(at);
    history.addChanges(asEvent(record("e1", pk, "SOME", 1)));
    expect(storyIn(history, "one")?.rows.flatMap(({ changes }) => changes)).toHaveLength(count);
  });

  test("says what changed by field, and its user, and is undefined for an unknown id", () => {
    const history = afterRequest();
    history.addChanges(asEvent(record("e1", "TIMESHEET#1", "TIMESHEET", 1, changedBy("one"))));
    const story = storyIn(history, "one");
    expect(story?.row.user).toEqual({ id: 7, name: "Wren Ashby", login: "wren@example.com" });
    expect(story?.rows.flatMap(({ changes }) => changes)).toMatchObject([
      {
        action: "changed",
        fields: [
          { name: "revision", before: 1, after: 2 },
          { name: "state", before: "pending", after: "paid" },
        ],
      },
    ]);
    expect(storyIn(history, "none")).toBeUndefined();
  });

  test("has a removal that names the request by its tombstone, and nothing of a tombstone that is renewed or expires", () => {
    const history = afterRequest();
    const gone = { removed_at: { S: "2026-05-10T12:00:00.000Z" }, ...changedBy("one") };
    const removal = record("e1", "JOB#1", "JOB", 1, gone);
    const renewal = record("e2", "JOB#2", "JOB", 1, gone);
    Object.assign(renewal.dynamodb.OldImage, gone);
    history.addChanges(asEvent(removal, renewal));
    const [, ...rows] = storyIn(history, "one")?.rows ?? [];
    const changes = [{ entity: "job", key: "JOB#1 JOB", action: "removed" }];
    expect(rows).toMatchObject([{ title: "1 job", about: "removed · pending", changes }]);
  });
});

describe("a payment reads as a person would say it:", () => {
  const paid = (...ids: number[]) =>
    asEvent(...ids.map((id) => record(`e${id}`, `TIMESHEET#${id}`, "TIMESHEET", 1, changedBy("one"))));
  const pushTo = (userId: number) => asEvent(message(`m${userId}`, { requestId: "one", userId, notificationId: 1 }));

  test("who paid how many, with one row for all of them, and the bookkeeping apart", () => {
    const history = afterRequest({ milliseconds: 400 });
    history.addChanges(paid(1, 2, 3));
    history.addChanges(
      asEvent(
        record("c1", "COUNTERS#TIMESHEETS#1", "ALL#00", 1, changedBy("one")),
        record("c2", "CHANGE#1", "CHANGE", 1, changedBy("one")),
      ),
    );
    const story = storyIn(history, "one");
    expect(story?.title).toBe("Wren Ashby paid 3 timesheets");
    expect(story?.rows.map(({ layer, title, about, changes }) => [layer, title, about, changes.length])).toEqual([
      ["request", "bulk-update-timesheets", "400\u00a0ms", 0],
      ["table", "3 timesheets", "pending → paid", 3],
      ["table", "2 more writes", "history, counts and the like", 2],
    ]);
  });

  test("calls of one worker are one row, which has failed if one of them has", () => {
    const history = afterRequest();
    addRun(history, "send-pushes", pushTo(7), line({ request_id: "one", pushes: 1 }), { milliseconds: 60_000 });
    addRun(history, "send-pushes", pushTo(7), line({ request_id: "one", level: "error" }), { milliseconds: 20_000 });
    expect(storyIn(history, "one")?.rows.filter(({ layer }) => layer === "worker")).toMatchObject([
      { title: "send-pushes", about: "2 times, 80.0\u00a0s", isBad: true },
    ]);
    const both = asEvent(...[pushTo(7), pushTo(8)].flatMap(({ Records }) => Records));
    addRun(history, "notify", both, line({ request_id: "one" }), { error: new Error("It failed") });
    addRun(history, "keep-history", {}, line({ request_id: "one" }), { milliseconds: 1_000 });
    const rows = storyIn(history, "one")?.rows.filter(({ layer }) => layer === "worker") ?? [];
    expect(rows.map(({ title, about, isBad }) => [title, about, isBad]).sort()).toEqual([
      ["keep-history", "1.0\u00a0s", false],
      ["notify", "1\u00a0ms", true],
      ["send-pushes", "2 times, 80.0\u00a0s", true],
    ]);
  });

  test("who was to get a push and got none, and why", () => {
    const history = afterRequest();
    addRun(history, "deliver-notifications", pushTo(5), line({ request_id: "one" }));
    for (const userId of [7, 8, 9]) {
      addRun(history, "send-pushes", pushTo(userId), line({ request_id: "one", pushes: 1 }), { milliseconds: 60_000 });
    }
    const silent = (messages: InboxView[]) =>
      storyIn(history, "one", messages)?.rows.flatMap(({ layer, title }) => (layer === "message" ? [title] : []));
    expect(silent([])?.sort()).toEqual([
      "No push: nothing was left to send to Wren Ashby",
      "No push: user 8 and user 9 have no device",
    ]);
    const push = { id: "p", channel: "push", person, subject: "Paid", text: "140 GBP", at: Date.now() - 30_000 };
    expect(silent([push as unknown as InboxView])).toContain("Push to Wren Ashby");
    expect(silent([push as unknown as InboxView])).not.toContain("No push: nothing was left to send to Wren Ashby");
    for (const userId of [8, 10]) addRun(history, "send-pushes", pushTo(userId), line({ request_id: "one" }));
    expect(silent([])).toContain("No push: user 8, user 9 and user 10 have no device");
    addRun(history, "send-pushes", pushTo(11), line({ request_id: "one" }));
    expect(silent([])).toContain("No push: user 8, user 9, user 10 and 1 more have no device");
  });

  test("more than six messages of a channel are one row, and one to an address of nobody names the address", () => {
    const history = afterRequest();
    addRun(history, "send-pushes", pushTo(7), line({ request_id: "one", pushes: 9, emails: 1, sms: 1 }), {
      milliseconds: 60_000,
    });
    const at = Date.now() - 30_000;
    const pushes = (length: number) =>
      Array.from({ length }, (_, id) => ({ id, channel: "push", person, subject: "Paid", text: "140 GBP", at }));
    const mail = { id: "m", channel: "email", person: null, to: "new@example.com", subject: "Welcome", text: "Hi", at };
    const sms = { id: "s", channel: "sms", person, to: "+447700900001", subject: null, text: "Your pin", at };
    const sent = (...messages: object[]) =>
      storyIn(history, "one", messages as InboxView[])?.rows.filter(({ layer }) => layer === "message");
    expect(sent(...pushes(7), mail, sms)?.map(({ title, about }) => [title, about])).toEqual([
      ["7 pushes", "140 GBP"],
      ["Mail to new@example.com", "Welcome"],
      ["SMS to Wren Ashby", "Your pin"],
    ]);
    expect(sent(...pushes(6))?.map(({ title }) => title)).toEqual(Array(6).fill("Push to Wren Ashby"));
  });

  test("a message is one of the call that was under way when it was sent, and that sent some of its channel", () => {
    vi.useFakeTimers({ now: 2_000, toFake: ["Date"] });
    const history = afterRequest();
    addRun(history, "send-pushes", pushTo(7), line({ request_id: "one", pushes: 1 }), { milliseconds: 500.5 });
    addRun(history, "deliver-pin", asEvent(), line({ request_id: "two", emails: 1 }), { milliseconds: 500 });
    const sent = [1_498, 1_499, 2_001, 2_002].map((at) => ({ id: String(at), channel: "push", person, text: "T", at }));
    const mail = { id: "mail", channel: "email", person, subject: "S", at: 1_800 };
    const shown = storyIn(history, "one", [...sent, mail] as unknown as InboxView[])?.rows.flatMap(
      ({ messages }) => messages,
    );
    expect(shown?.map(({ id }) => id)).toEqual(["1499", "2001"]);
  });

  test.each<[string, object | undefined, string]>([
    ["undo-change", { state: { S: "paid" } }, "Wren Ashby undid a change of 1 timesheet"],
    ["bulk-update-timesheets", { state: { S: "open" } }, "Wren Ashby set 1 timesheet back to open"],
    ["adjust-job-timers", {}, "Wren Ashby set the timer of 1 timesheet"],
    ["mark-notifications", {}, "Wren Ashby marked 1 timesheet"],
    ["bulk-update-timesheets", undefined, "Marks timesheets as paid or pending, for Wren Ashby"],
    ["get-profile", undefined, "Shows Wren Ashby's own profile"],
    ["get-gone", undefined, "get-gone, for Wren Ashby"],
  ])("%s is a sentence", (functionName, change, title) => {
    const history = openHistory();
    history.addRequest({ ...requestOf("one"), functionName });
    const stamp = { ...changedBy("one"), ...change };
    if (change) history.addChanges(asEvent(record("e1", "TIMESHEET#1", "TIMESHEET", 1, stamp)));
    const story = storyIn(history, "one");
    expect([story?.title, story?.rows.length]).toEqual([title, change ? 2 : 1]);
  });

  test("one of somebody without a name is a user by id, one of nobody has the summary alone", () => {
    const history = openHistory();
    history.addRequest({ ...requestOf("one"), output: line({ request_id: "one", user_id: 8 }) });
    history.addRequest({ ...requestOf("two"), output: "" });
    expect(["one", "two"].map((id) => storyIn(history, id)?.title)).toEqual([
      "Marks timesheets as paid or pending, for User 8",
      "Marks timesheets as paid or pending",
    ]);
    expect(storyIn(history, "two")?.row.user).toBeNull();
    expect(storyIn(history, "one")?.row.user).toEqual({ id: 8, name: "User 8", login: "" });
  });

  test("a new record has its title and its fields, those of its parts by their path", () => {
    const history = afterRequest();
    const added = record("e1", "TIMESHEET#1", "TIMESHEET", 1, changedBy("one"));
    const { OldImage: _, NewImage, ...dynamodb } = added.dynamodb;
    const { state, ...rest } = NewImage;
    const whole = { ...rest, name: { S: "Loader" }, list: { L: [{ N: "1" }] }, record: { M: { state } } };
    history.addChanges(asEvent({ ...added, dynamodb: { ...dynamodb, NewImage: whole } }));
    const [, row] = storyIn(history, "one")?.rows ?? [];
    expect(row).toMatchObject({ title: "1 timesheet", about: "new · Loader · paid" });
    expect(row?.changes[0]).toMatchObject({
      action: "new",
      fields: [
        { name: "revision", before: null, after: 2 },
        { name: "name", before: null, after: "Loader" },
        { name: "list", before: null, after: [1] },
        { name: "record.state", before: null, after: "paid" },
      ],
    });
  });
});

test.each([
  [1, "company", "1 company"],
  [2, "company", "2 companies"],
  [2, "key", "2 keys"],
  [1_200, "history", "1,200 history"],
  [0, "limit counts", "0 limit counts"],
])("%i %s reads as %s", (count, name, text) => expect(plural(count, name)).toBe(text));
