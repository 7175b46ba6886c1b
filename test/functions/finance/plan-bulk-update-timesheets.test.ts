import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { secretKey } from "../../../shared/db/accounts/user-secrets.ts";
import { readHmacKeyVersions, writeHmacKeyVersions } from "../../../shared/secrets.ts";
import { callerLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { mark, planMark } from "../../support/requests/changes.ts";
import { useService } from "../../support/service/service.ts";

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

const itemOf = (id: number) => readItem({ pk: `TIMESHEET#${id}`, sk: "TIMESHEET" });

test("D40: answers the timesheets of bulk_update and how many would change, and writes nothing", async () => {
  const [before, ids] = [await itemOf(1), [3, 2, 1, 2]];
  const planned = await planMark(operator, ids, "paid");
  expect(planned).toMatchObject({ status: 200, body: { plan: { would_change: 2, would_notify: 1 } } });
  expect(await itemOf(1)).toEqual(before);
  expect(planned.body.timesheets).toEqual((await mark(operator, ids, "paid")).body.timesheets);
  expect((await planMark(operator, ids, "paid")).body.plan).toEqual({ would_change: 0, would_notify: 0 });
});

test("D40: who would be notified counts once, the caller and drivers who are no users not at all", async () => {
  const planned = await planMark(operator, [1, 2, 5, 6], "paid");
  expect(planned.body.plan).toEqual({ would_change: 4, would_notify: 1 });
});

test("D40: an Idempotency-Key is not looked at, so the payment may use the same", async () => {
  const planned = await planMark(operator, [1], "paid", { key: "one-key" });
  const paid = await mark(operator, [1], "paid", { key: "one-key" });
  expect([planned.status, paid.status, paid.headers["idempotency-replayed"]]).toEqual([200, 200, undefined]);
  expect(await itemOf(1)).toMatchObject({ record: { state: "paid" } });
});

test("D19, D40: the right passcode is taken after misses, and moves to the version of the key that signs", async () => {
  const user = { id: 61, role: "operator", company_id: 1 } as const;
  await store([callerLine(user, { passcode: "4821" })]);
  const { versions } = await readHmacKeyVersions();
  const added = { version: 2, key: "2".repeat(64), signs_from: new Date(0).toISOString() };
  await writeHmacKeyVersions({ versions: [...versions, added], highest: 2 });
  vi.useFakeTimers({ now: Date.now() + 6 * 60_000, toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const typed = (passcode: string) => planMark(user, [1], "paid", { passcode });
  for (let round = 0; round < 2; round += 1) {
    for (let miss = 0; miss < 4; miss += 1) expect((await typed("1111")).status).toBe(403);
    expect((await typed("4821")).status).toBe(200);
  }
  expect(await readItem(secretKey("passcode", user.id))).toMatchObject({ hash: expect.stringMatching(/^2\./) });
});
