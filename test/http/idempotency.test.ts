import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as updateHandler } from "../../functions/finance/bulk-update-timesheets.ts";
import { bulkUpdateTimesheets } from "../../shared/contract/finance.ts";
import type { HmacKeyVersions } from "../../shared/tokens/secrets.ts";
import { readHmacKeyVersions, writeHmacKeyVersions } from "../../shared/tokens/secrets.ts";
import { costOf } from "../support/records/costs.ts";
import { changesOf } from "../support/records/items.ts";
import { callerLine, jobLine, timesheetLine } from "../support/records/records.ts";
import { readRecord, store } from "../support/records/store.ts";
import { call, type TestRequest } from "../support/requests/call.ts";
import { adjust } from "../support/requests/changes.ts";
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
    jobLine(1, 1),
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
  test("D32: the same key and body get the records as they are and the same change-id, and nothing is done", async () => {
    const key = newKey();
    const first = await update(key);
    expect(first.headers["idempotency-replayed"]).toBeUndefined();
    await update(undefined, pending);
    const second = await update(key);
    expect(second).toMatchObject({ status: 200, body: { timesheets: [{ state: "pending" }, { state: "pending" }] } });
    const { "x-request-id": _first, ...headers } = first.headers;
    const { "x-request-id": id, ...replayed } = second.headers;
    expect(replayed).toEqual({ ...headers, "idempotency-replayed": "true" });
    expect(replayed).toMatchObject({ "change-id": expect.any(String), total: "2", "per-page": "20" });
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
    const adjusted = await adjust(admin, [1], 60, { key });
    expect(adjusted).toMatchObject({ status: 200, headers: { total: "1" } });
    const again = await adjust(admin, [1], 60, { key });
    expect(again).toMatchObject({ body: adjusted.body, headers: { total: "1", "idempotency-replayed": "true" } });
  });

  test("D32: a repetition after the HMAC key was rotated pays not again, nor does one where the new version is unknown", async () => {
    const known = await readHmacKeyVersions();
    const added = { version: 2, key: "2".repeat(64), signs_from: new Date(0).toISOString() };
    const rotated = { versions: [...known.versions, added], highest: 2 };
    const as = { ...operator, id: 3 };
    const sent = async (versions: HmacKeyVersions, key: string) => {
      await writeHmacKeyVersions(versions);
      const { status, headers, body } = await update(key, paid, { as });
      return [status, headers["idempotency-replayed"], body.code];
    };
    const [before, after] = [newKey(), newKey()];
    expect(await sent(known, before)).toEqual([200, undefined, undefined]);
    expect(await sent(rotated, after)).toEqual([200, undefined, undefined]);
    await update(undefined, pending);
    expect(await sent(rotated, before)).toEqual([200, "true", undefined]);
    expect(await sent(known, after)).toEqual([422, undefined, "idempotency_key_reused"]);
    expect(await sent(rotated, after)).toEqual([200, "true", undefined]);
    await writeHmacKeyVersions(known);
    expect(await readRecord("TIMESHEET", 1)).toMatchObject({ state: "pending" });
  });

  test.each(["!", "~".repeat(255), "a,b", "key#1"])("D32: %j is a key", async (key) => {
    expect((await update(key, paid, { as: { ...operator, id: 4 } })).status).toBe(200);
  });

  test("D32: without the header nothing is read or written for it", async () => {
    const as = { ...operator, id: 5 };
    const cost = await costOf(() => update(undefined, paid, { as }));
    const withKey = await costOf(() => update(newKey(), pending, { as }));
    // The record takes one, the session one, and the caller with the passcode four: a transaction reads both at one moment (D19).
    expect(cost.readUnits).toBeLessThanOrEqual(7);
    expect(cost.sequentialTrips).toBe(2);
    expect(withKey.sequentialTrips).toBe(2);
  });
});

describe("401, 403, 404: a refusal keeps no key", () => {
  test("D32: the key of a refused request is free, for the same body and for another", async () => {
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

test("D32: neither the key nor what was sent is in a log line, and of both only hashes are kept", async () => {
  const key = `secret-key-${newKey()}`;
  const body = { timesheet: { ...paid.timesheet, passcode: "73619284" } };
  await update(key, body, { as: { ...operator, id: 7 } });
  await update(key, body, { as: { ...operator, id: 7 } });
  await update(key, pending, { as: { ...operator, id: 7 } });
  expect(loggedLines.filter((line) => line.includes(key) || line.includes("73619284"))).toEqual([]);
  const kept = JSON.stringify(await changesOf(7));
  expect(kept).toContain("fingerprint");
  expect([kept.includes("73619284"), kept.includes(key)]).toEqual([false, false]);
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
    for (let tries = 0; tries < 20; tries += 1) {
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

  test("a refused passcode stores nothing", async () => {
    const as = { ...operator, id: 11 };
    await store([callerLine(as, { passcode })]);
    expectProblem(await update(newKey(), withPasscode(), { as }), 403, "passcode_invalid");
    expect(await changesOf(as.id)).toEqual([]);
  });
});

describe("D32: a key belongs to user, role and company", () => {
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
