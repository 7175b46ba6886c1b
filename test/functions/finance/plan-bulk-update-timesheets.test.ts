import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as payHandler } from "../../../functions/finance/bulk-update-timesheets.ts";
import { handler } from "../../../functions/finance/plan-bulk-update-timesheets.ts";
import { bulkUpdateTimesheets, planBulkUpdateTimesheets } from "../../../shared/contract/finance.ts";
import { secretKey } from "../../../shared/db/accounts/user-secrets.ts";
import { readHmacKeyVersions, writeHmacKeyVersions } from "../../../shared/secrets.ts";
import { callerLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";

const operator = { id: 2, role: "operator", company_id: 1 } as const;
const driver = { id: 3, role: "driver", company_id: 1 } as const;

useService();

const drivenBy = (profileId: number) => ({ driver: { ...timesheetLine(1, 1).driver, profile_id: profileId } });

beforeEach(() =>
  store([
    callerLine(operator, { passcode: null, profile_id: 72 }),
    callerLine(driver, { profile_id: 70 }),
    timesheetLine(1, 1),
    timesheetLine(2, 1),
    timesheetLine(3, 1, { state: "paid" }),
    timesheetLine(4, 2),
    timesheetLine(5, 1, drivenBy(71)),
    timesheetLine(6, 1, drivenBy(72)),
  ]),
);

afterEach(() => void vi.useRealTimers());

function plan(timesheet: unknown, as: TestUser = operator) {
  return call(handler, planBulkUpdateTimesheets, { as, body: { timesheet } });
}

function pay(timesheet: unknown) {
  return call(payHandler, bulkUpdateTimesheets, { as: operator, body: { timesheet } });
}

const itemOf = (id: number) => readItem({ pk: `TIMESHEET#${id}`, sk: "TIMESHEET" });

describe("200", () => {
  test("D40: answers the timesheets of bulk_update and how many would change, and writes nothing", async () => {
    const before = await itemOf(1);
    const timesheet = { timesheet_ids: [3, 2, 1, 2], state: "paid" };
    const planned = await plan(timesheet);
    expect(planned).toMatchObject({ status: 200, body: { plan: { would_change: 2, would_notify: 1 } } });
    expect(await itemOf(1)).toEqual(before);
    expect(planned.body.timesheets).toEqual((await pay(timesheet)).body.timesheets);
    expect((await plan(timesheet)).body.plan).toEqual({ would_change: 0, would_notify: 0 });
  });

  test("D40: who would be notified counts once, the caller and drivers who are no users not at all", async () => {
    const planned = await plan({ timesheet_ids: [1, 2, 5, 6], state: "paid" });
    expect(planned.body.plan).toEqual({ would_change: 4, would_notify: 1 });
  });

  test("D40: an Idempotency-Key is not looked at, so the payment may use the same", async () => {
    const headers = { "idempotency-key": "one-key" };
    const body = { timesheet: { timesheet_ids: [1], state: "paid" } };
    const planned = await call(handler, planBulkUpdateTimesheets, { as: operator, body, headers });
    const paid = await call(payHandler, bulkUpdateTimesheets, { as: operator, body, headers });
    expect([planned.status, paid.status, paid.headers["idempotency-replayed"]]).toEqual([200, 200, undefined]);
    expect(await itemOf(1)).toMatchObject({ record: { state: "paid" } });
  });
});

describe("403", () => {
  test("D19, D40: the right passcode is taken after misses, and moves to the version of the key that signs", async () => {
    const user = { id: 61, role: "operator", company_id: 1 } as const;
    await store([callerLine(user, { passcode: "4821" })]);
    const { versions } = await readHmacKeyVersions();
    const added = { version: 2, key: "2".repeat(64), signs_from: new Date(0).toISOString() };
    await writeHmacKeyVersions({ versions: [...versions, added], highest: 2 });
    vi.useFakeTimers({ now: Date.now() + 6 * 60_000, toFake: ["Date"] });
    const typed = (passcode: string) => plan({ timesheet_ids: [1], state: "paid", passcode }, user);
    for (let round = 0; round < 2; round += 1) {
      for (let miss = 0; miss < 4; miss += 1) expect((await typed("1111")).status).toBe(403);
      expect((await typed("4821")).status).toBe(200);
    }
    expect(await readItem(secretKey("passcode", user.id))).toMatchObject({ hash: expect.stringMatching(/^2\./) });
  });
});

describe("404", () => {
  test("D2, D40: missing and another company's are named, as bulk_update does", async () => {
    const answer = await plan({ timesheet_ids: [1, 4, 99], state: "paid" });
    expect(answer).toMatchObject({ status: 404, body: { code: "records_not_found", missing_ids: [4, 99] } });
  });
});
