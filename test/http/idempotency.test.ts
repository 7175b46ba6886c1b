import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as updateHandler } from "../../functions/finance/bulk-update-timesheets.ts";
import { handler as markHandler } from "../../functions/notifications/mark-notifications.ts";
import { bulkUpdateTimesheets } from "../../shared/contract/finance.ts";
import { markNotifications } from "../../shared/contract/notifications.ts";
import { costOf } from "../support/records/costs.ts";
import { callerLine, notificationLine, timesheetLine } from "../support/records/records.ts";
import { readRecord, store } from "../support/records/store.ts";
import { call, type TestRequest } from "../support/requests/call.ts";
import { keptFor } from "../support/requests/idempotency.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { loggedLines } from "../support/service/capture-logs.ts";
import { useService } from "../support/service/service.ts";

const operator = { id: 2, role: "operator", company_id: 1 } as const;
const admin = { id: 1, role: "admin", company_id: null } as const;
const paid = { timesheet: { timesheet_ids: [2, 1], state: "paid" } };
const pending = { timesheet: { timesheet_ids: [2, 1], state: "pending" } };

useService();

beforeEach(() =>
  store([
    callerLine(admin),
    ...[2, 3, 4, 5, 6, 7, 8].map((id) => callerLine({ ...operator, id }, { passcode: null })),
    timesheetLine(1, 1),
    timesheetLine(2, 1),
    notificationLine(1, 2),
  ]),
);

afterEach(() => void vi.useRealTimers());

function update(key: string | undefined, body: unknown = paid, request: TestRequest = {}) {
  const headers: Record<string, string> = key === undefined ? {} : { "Idempotency-Key": key };
  return call(updateHandler, bulkUpdateTimesheets, { as: operator, body, headers, ...request });
}

function newKey(): string {
  return crypto.randomUUID();
}

describe("200", () => {
  test("D32: the same key and body get the first answer again, and nothing is done", async () => {
    const key = newKey();
    const first = await update(key);
    expect(first.headers["idempotency-replayed"]).toBeUndefined();
    await update(undefined, pending);
    const second = await update(key);
    expect(second).toMatchObject({ status: 200, body: first.body });
    const { "x-request-id": _first, ...headers } = first.headers;
    const { "x-request-id": id, ...replayed } = second.headers;
    expect(replayed).toEqual({ ...headers, "idempotency-replayed": "true" });
    expect(replayed).toMatchObject({ total: "2", "per-page": "20" });
    expect(id).not.toBe(_first);
    expect(await readRecord("TIMESHEET", 1)).toMatchObject({ state: "pending" });
  });

  test("D32: the same fields are the same body, however the JSON is written", async () => {
    const key = newKey();
    await update(key);
    const answer = await update(key, '{ "timesheet": { "state": "paid", "timesheet_ids": [2, 1, 2] } }');
    expect(answer.headers["idempotency-replayed"]).toBe("true");
  });

  test("D32: the same key of another user, or for another operation, is another key", async () => {
    const key = newKey();
    await update(key);
    expect((await update(key, pending, { as: admin })).headers["idempotency-replayed"]).toBeUndefined();
    const body = { notification: { read: true } };
    const headers = { "idempotency-key": key };
    const marked = await call(markHandler, markNotifications, { as: operator, body, headers });
    expect(marked).toMatchObject({ status: 200, headers: { total: "1" } });
    const again = await call(markHandler, markNotifications, { as: operator, body, headers });
    expect(again).toMatchObject({ body: marked.body, headers: { total: "1", "idempotency-replayed": "true" } });
  });

  test("D32: 24 hours later the key is new", async () => {
    const key = newKey();
    const start = Date.now();
    vi.useFakeTimers({ now: start, toFake: ["Date"] });
    await update(key);
    vi.setSystemTime(start + 24 * 60 * 60_000 - 1);
    expect((await update(key)).headers["idempotency-replayed"]).toBe("true");
    vi.setSystemTime(start + 24 * 60 * 60_000);
    expect(await update(key, pending)).toMatchObject({ status: 200 });
    expect(await readRecord("TIMESHEET", 1)).toMatchObject({ state: "pending" });
  });

  test("D32: an answer that is larger than an item is given again whole", async () => {
    const ids = Array.from({ length: 100 }, (_, index) => 1_000 + index);
    const timelog = () => ({
      ...timesheetLine(1, 1).timelog,
      duration: { hours: 8, x: randomBytes(12_000).toString("base64") },
    });
    await store(ids.map((id) => timesheetLine(id, 1, { timelog: timelog() })));
    const key = newKey();
    const body = { timesheet: { timesheet_ids: ids, state: "paid" } };
    const first = await update(key, body, { as: { ...operator, id: 3 } });
    expect(JSON.stringify(first.body).length).toBeGreaterThan(1_600_000);
    const second = await update(key, body, { as: { ...operator, id: 3 } });
    expect(second.headers["idempotency-replayed"]).toBe("true");
    expect(JSON.stringify(second.body) === JSON.stringify(first.body)).toBe(true);
    expect((await keptFor(3)).length).toBeGreaterThan(1);
  });

  test.each(["!", "~".repeat(255), "a,b", "key#1"])("D32: %j is a key", async (key) => {
    expect((await update(key, paid, { as: { ...operator, id: 4 } })).status).toBe(200);
  });

  test("D32: without the header nothing is read or written for it", async () => {
    const cost = await costOf(() => update(undefined, paid, { as: { ...operator, id: 5 } }));
    expect(await keptFor(5)).toEqual([]);
    const withKey = await costOf(() => update(newKey(), pending, { as: { ...operator, id: 5 } }));
    // The record takes one, and the caller with the passcode four: a transaction reads both at one moment (D19).
    expect(cost.readUnits).toBeLessThanOrEqual(6);
    expect(cost.sequentialTrips).toBe(2);
    expect(withKey.sequentialTrips).toBe(5);
  });
});

describe("401, 403, 404: refusals keep no key", () => {
  test("D32: what is refused before it is carried out leaves the key unused", async () => {
    const key = newKey();
    const driver = { id: 6, role: "driver", company_id: 1 } as const;
    expectProblem(await update("é", paid, { as: driver }), 403, "role_not_allowed");
    const user = { ...operator, id: 6 };
    expect((await update(key, { timesheet: {} }, { as: user })).status).toBe(422);
    expect(await keptFor(6)).toEqual([]);
  });

  test("D32: a refused request gives its key back, for the same body and for another", async () => {
    const key = newKey();
    const body = { timesheet: { timesheet_ids: [1, 77], state: "paid" } };
    expectProblem(await update(key, body), 404, "records_not_found");
    await store([timesheetLine(77, 1)]);
    expect(await update(key, body)).toMatchObject({ status: 200, headers: { total: "2" } });
    const other = newKey();
    expectProblem(await update(other, { timesheet: { timesheet_ids: [78], state: "paid" } }), 404, "records_not_found");
    expect((await update(other)).status).toBe(200);
  });
});

describe("409", () => {
  test("D32: of 20 requests at once with one key exactly one is carried out", async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => update(key)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done.filter(({ headers }) => !headers["idempotency-replayed"])).toHaveLength(1);
    expect(new Set(done.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectProblem(answer, 409, "request_in_progress");
      expect(answer.headers["retry-after"]).toBe("1");
    }
    expect((await update(key)).headers["idempotency-replayed"]).toBe("true");
  });
});

describe("422", () => {
  test("D32: the same key with another body is refused, and nothing changes", async () => {
    const key = newKey();
    await update(key);
    expectProblem(await update(key, pending), 422, "idempotency_key_reused");
    expect(await readRecord("TIMESHEET", 1)).toMatchObject({ state: "paid" });
  });

  test.each(["", " ", "a b", "tab\t", "é", "x".repeat(256), "line\n"])("D32: %j is no key", async (key) => {
    const answer = await update(key);
    expectProblem(answer, 422, "fields_invalid");
    expect(answer.body.errors).toMatchObject([{ header: "Idempotency-Key", code: "invalid" }]);
    expect(await readRecord("TIMESHEET", 1)).toMatchObject({ state: "pending" });
  });
});

test("D32: neither the key nor what was sent is in a log line, and of the body only an HMAC is kept", async () => {
  const key = `secret-key-${newKey()}`;
  const body = { timesheet: { ...paid.timesheet, passcode: "73619284" } };
  await update(key, body, { as: { ...operator, id: 7 } });
  await update(key, body, { as: { ...operator, id: 7 } });
  await update(key, pending, { as: { ...operator, id: 7 } });
  expect(loggedLines.filter((line) => line.includes(key) || line.includes("73619284"))).toEqual([]);
  expect(JSON.stringify(await keptFor(7))).not.toContain("73619284");
});

describe("D19, D32: the passcode comes before the key", () => {
  const passcode = "47110815";
  const user = { ...operator, id: 9 };
  const withPasscode = (typed?: string) => ({ timesheet: { ...paid.timesheet, passcode: typed } });

  beforeEach(() => store([callerLine(user, { passcode })]));

  test("a known key says neither whether a passcode is right nor what was sent with it, and each wrong one counts", async () => {
    const key = newKey();
    expect((await update(key, withPasscode(passcode), { as: user })).status).toBe(200);
    const { timesheet } = withPasscode("1234");
    for (let tries = 0; tries < 5; tries += 1) {
      const body = { timesheet: { ...timesheet, state: tries % 2 ? "pending" : timesheet.state } };
      expectProblem(await update(key, body, { as: user }), 403, "passcode_invalid");
    }
    for (const typed of ["1234", passcode]) {
      expectProblem(await update(key, withPasscode(typed), { as: user }), 429, "passcode_locked");
    }
  });

  test("a repetition needs the passcode that holds today, and is the same request as with the one before", async () => {
    const key = newKey();
    const as = { ...operator, id: 10 };
    await store([callerLine(as, { passcode })]);
    const first = await update(key, withPasscode(passcode), { as });
    await store([callerLine(as, { passcode: "8642" })]);
    expectProblem(await update(key, withPasscode(passcode), { as }), 403, "passcode_invalid");
    const again = await update(key, withPasscode("8642"), { as });
    expect(again).toMatchObject({ body: first.body, headers: { "idempotency-replayed": "true" } });
  });

  test("a refused passcode opens no run", async () => {
    const as = { ...operator, id: 11 };
    await store([callerLine(as, { passcode })]);
    expectProblem(await update(newKey(), withPasscode(), { as }), 403, "passcode_invalid");
    expect(await keptFor(as.id)).toEqual([]);
  });
});

describe("D32: a kept answer belongs to user, role and company", () => {
  test.each([
    ["company", { role: "operator", company_id: 2 }],
    ["role", { role: "admin", company_id: null }],
  ] as const)("who has moved to another %s does not get it again", async (_, moved) => {
    const [key, id] = [newKey(), 12];
    const before = { id, role: "operator", company_id: 1 } as const;
    await store([callerLine(before)]);
    expect((await update(key, paid, { as: before })).status).toBe(200);
    const after = { id, ...moved };
    await store([callerLine(after)]);
    const again = await update(key, paid, { as: after });
    expectProblem(again, 422, "idempotency_key_reused");
    expect(JSON.stringify(again.body)).not.toContain("Harbour");
  });
});

test("D32: an answer that is given again is logged like any other", async () => {
  const key = newKey();
  await update(key);
  const answer = await update(key);
  expect(answer.headers["idempotency-replayed"]).toBe("true");
  const lines = loggedLines.map((line) => JSON.parse(line));
  const own = lines.filter(({ request_id }) => request_id === answer.headers["x-request-id"]);
  expect(own).toMatchObject([{ message: "answered", status: 200, user_id: operator.id }]);
});
