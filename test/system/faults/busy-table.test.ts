import { beforeAll, beforeEach, expect, test } from "vitest";
import { dropDeviceTokens, saveDeviceToken } from "../../../shared/notifications/devices.ts";
import { useModelClock } from "../../support/faults/model-clock.ts";
import { cancelled, type Fault, useNetwork } from "../../support/faults/network.ts";
import { callerLine, timesheetLine } from "../../support/records/records.ts";
import { readRecord, store } from "../../support/records/store.ts";
import { mark } from "../../support/requests/changes.ts";
import { useService } from "../../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const operator = { id: 2, role: "operator", company_id: 1 } as const;
const device = { token: "token", platform: "ios", pushService: "apns" } as const;
const always = Number.POSITIVE_INFINITY;

const service = useService();
const network = useNetwork();
const clock = useModelClock();

beforeAll(async () => {
  const others = Array.from({ length: 8 }, (_, index) => timesheetLine(index + 3, 1));
  await store([callerLine(admin), callerLine(operator), ...others]);
  // It reads the key of idempotency keys, in a call that the model's clock does not know of.
  await mark(admin, [3], "pending", { key: crypto.randomUUID() });
});
beforeEach(async () => {
  network.reset();
  await store([timesheetLine(1, 1), timesheetLine(2, 1)]);
  network.reset();
});

const pay = (key?: string) => mark(admin, [1, 2], "paid", { key });

/** DynamoDB's answer when it is too busy to read anything of a batch. */
function unread(): Fault {
  const Keys = [1, 2].map((id) => ({ pk: { S: `TIMESHEET#${id}` }, sk: { S: "TIMESHEET" } }));
  const UnprocessedKeys = { [service.tableName]: { Keys, ConsistentRead: true } };
  return { status: 200, body: { Responses: {}, UnprocessedKeys } };
}

test.each([
  ["a transaction that meets others'", "TransactWriteItems", () => cancelled("TransactionConflict", 2), 3],
  ["a transaction whose records others change", "TransactWriteItems", () => cancelled("ConditionalCheckFailed", 4), 3],
  ["a read that the table leaves undone", "BatchGetItem", unread, 2],
])("D18: %s is repeated until it goes through", async (_, action, fault, times) => {
  network.fail(action, fault(), times);
  expect((await pay()).status).toBe(200);
  expect(network.calls.get(action)).toBe(times + 1);
  network.reset();
  expect(await readRecord("TIMESHEET", 2)).toMatchObject({ state: "paid" });
});

test.each([
  ["3 seconds of conflicts", "TransactWriteItems", () => cancelled("TransactionConflict", 2), 2_750, 3_000],
  ["3 seconds of throttles", "TransactWriteItems", () => cancelled("ThrottlingError", 2), 2_750, 3_000],
  ["3 seconds of others' changes", "TransactWriteItems", () => cancelled("ConditionalCheckFailed", 4), 2_750, 3_000],
  ["a second of unread records", "BatchGetItem", unread, 750, 1_000],
])("D18, D32: after %s, no earlier, a payment is 503 busy, and changes nothing; its key is free", async (_, action, fault, least, most) => {
  network.fail(action, fault(), always);
  const key = crypto.randomUUID();
  const [answer, waited] = await clock.run(async () => {
    const startedAt = performance.now();
    return [await pay(key), performance.now() - startedAt] as const;
  });
  // A pause that would end later than the patience is not begun, and takes 0.2 seconds at most.
  expect(waited).toBeGreaterThan(least);
  expect(waited).toBeLessThanOrEqual(most);
  expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  expect(answer.body).toMatchObject({ code: "busy", status: 503, request_id: expect.any(String) });
  expect(network.calls.get(action)).toBeGreaterThan(3);
  expect(network.calls.get(action)).toBeLessThan(100);
  network.reset();
  expect(await readRecord("TIMESHEET", 1)).toMatchObject({ state: "pending" });
  const later = await pay(key);
  expect([later.status, later.headers["idempotency-replayed"]]).toEqual([200, undefined]);
});

test.each([
  ["saveDeviceToken", () => saveDeviceToken(1, device, 1)],
  ["dropDeviceTokens", () => dropDeviceTokens(3, [1])],
])("D18: %s is refused as busy after 5 lost races", async (_, work) => {
  await saveDeviceToken(3, device, 1);
  network.reset();
  network.fail("TransactWriteItems", cancelled("ConditionalCheckFailed", 4), always);
  await expect(work()).rejects.toMatchObject({ code: "busy" });
  expect(network.calls.get("TransactWriteItems")).toBe(5);
});

test("D18: of parallel updates to one set of ids the last state is whole: no set is ever half paid", async () => {
  const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  await Promise.all(Array.from({ length: 20 }, (_, index) => mark(operator, ids, index % 2 ? "paid" : "pending")));
  const states = await Promise.all(ids.map(async (id) => (await readRecord("TIMESHEET", id))?.state));
  expect(new Set(states).size).toBe(1);
});
