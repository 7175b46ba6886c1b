import { beforeEach, describe, expect, test } from "vitest";
import type { Item } from "../../../shared/table/table.ts";
import { putBatch } from "../../../shared/table/table.ts";
import { callerLine, timesheetLine } from "../../support/records/records.ts";
import { readRecord, store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { mark } from "../../support/requests/changes.ts";
import { idsIn } from "../../support/requests/pages.ts";
import { useService } from "../../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const operator = { id: 2, role: "operator", company_id: 1 } as const;

useService();

beforeEach(() =>
  store([callerLine(admin), callerLine(operator), ...[1, 2, 3].map((id) => timesheetLine(id, 1)), timesheetLine(4, 2)]),
);

describe("200", () => {
  test("D17: timesheets take the state, and state and payment_state agree", async () => {
    const answer = await mark(operator, [1, 2], "paid");
    expect(answer.status).toBe(200);
    for (const timesheet of answer.body.timesheets) {
      expect(timesheet).toMatchObject({ state: "paid", payment_state: "paid" });
    }
    expect(await readRecord("TIMESHEET", 2)).toMatchObject({ state: "paid", payment_state: "paid" });
    const back = await mark(operator, [2], "pending");
    expect(back.body.timesheets[0]).toMatchObject({ id: 2, state: "pending", payment_state: "pending" });
  });

  test("D18: the answer is in request order, repeats collapse, and total counts what was answered", async () => {
    const answer = await mark(operator, [3, 1, 3, 2, 1], "paid");
    expect(idsIn(answer)).toEqual([3, 1, 2]);
    expect(answer.headers).toMatchObject({ "per-page": "20", total: "3" });
    expect(answer.headers.link).toBeUndefined();
  });

  test("D2: an admin changes timesheets of every company at once", async () => {
    expect((await mark(admin, [1, 4], "paid")).status).toBe(200);
    expect(await readRecord("TIMESHEET", 4)).toMatchObject({ state: "paid" });
  });

  test("D19: a passcode of null is one that is left out, also under an Idempotency-Key", async () => {
    const sent = { key: "left-out" };
    expect((await mark(operator, [1], "paid", { ...sent, passcode: null })).status).toBe(200);
    expect((await mark(operator, [1], "paid", sent)).headers).toHaveProperty("idempotency-replayed", "true");
  });
});

describe("404", () => {
  test("D2, D18: a missing and another company's timesheet look alike, and nothing changes", async () => {
    const answer = await mark(operator, [1, 4, 99], "paid");
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: "records_not_found", missing_ids: [4, 99] });
    expect(await readRecord("TIMESHEET", 1)).toMatchObject({ state: "pending" });
    expect(await readRecord("TIMESHEET", 4)).toMatchObject({ state: "pending" });
  });
});

describe("422", () => {
  test("D18: timesheets that are too large together are refused, fewer are paid", async () => {
    const ids = Array.from({ length: 90 }, (_, index) => 2000 + index);
    const { timelog } = timesheetLine(1, 1);
    const { start_at, end_at } = timelog;
    const duration = { hours: 0, minutes: 30 };
    const breaks = [{ id: 1, start_at, end_at, duration, notes: "x".repeat(40_000) }];
    await store(ids.map((id) => timesheetLine(id, 1)));
    const stored = await Promise.all(ids.map((id) => readItem({ pk: `TIMESHEET#${id}`, sk: "TIMESHEET" })));
    const large = stored.map((item) => ({
      ...item,
      record: { ...(item?.record as object), timelog: { ...timelog, breaks } },
    }));
    await putBatch(large as unknown as Item[]);
    const answer = await mark(operator, ids, "paid");
    const detail = expect.stringMatching(/^must be fewer: the first 8\d of these 90 /);
    const fault = { pointer: "/timesheet/timesheet_ids", code: "too_long", detail };
    expect(answer).toMatchObject({ status: 422, body: { code: "fields_invalid", errors: [fault] } });
    expect((await mark(operator, ids.slice(30), "paid")).status).toBe(200);
  });
});
