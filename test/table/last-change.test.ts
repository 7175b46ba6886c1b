import { expect, test } from "vitest";
import { markByIds } from "../../functions/notifications/mark-notifications.ts";
import { notificationKey } from "../../shared/notifications/notifications.ts";
import { setJobTimers } from "../../shared/records/jobs.ts";
import { readStreamRecord } from "../../shared/table/entity.ts";
import { recordKey } from "../../shared/table/table.ts";
import { callerContext, driverContext, testChange } from "../support/records/contexts.ts";
import { jobLine, notificationLine } from "../support/records/records.ts";
import { readItem, write } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";
import { streamRecord } from "../support/workers/workers.ts";

useService();
const key = recordKey("JOB", 1);
const during = (request: string) => ({ change: testChange("service#test", request) });
const admin = { userId: 1, role: "admin", companyId: null, sessionId: "s" } as const;

test("a write of a record says which request it follows from, and one of no request leaves nothing of the last", async () => {
  expect(await write(jobLine(1, 1), { ...during("one"), notifies: true })).toBe("created");
  expect(await readItem(key)).toMatchObject({ change: { request: "one", creates: true } });
  const timer = { timer: 60, timer_expires_at: new Date().toISOString() };
  await setJobTimers([1], "all", timer, {
    ...callerContext(admin),
    change: during("two").change,
  });
  expect(await readItem(key)).toMatchObject({ change: { request: "two" } });
  await write(jobLine(1, 1, { title: "Driver" }));
  const { change } = (await readItem(key)) ?? {};
  expect(change).toMatchObject({ by: "service#test" });
  expect(change).not.toHaveProperty("request");
  expect(change).not.toHaveProperty("creates");
});

test("an item that has no history says the request of its last write alone, which log lines need", async () => {
  await write(notificationLine(1, 9), during("nine"));
  expect((await readItem(notificationKey(9, 1)))?.change).toEqual({ request: "nine" });
  await markByIds([1], true, driverContext(9));
  expect(await readItem(notificationKey(9, 1))).not.toHaveProperty("change");
});

test("a record that stays as it is stays so with another request: nothing is written for its id", async () => {
  await write(jobLine(2, 1), during("four"));
  expect(await write(jobLine(2, 1), during("five"))).toBe("unchanged");
  expect(await readItem(recordKey("JOB", 2))).toMatchObject({ change: { request: "four" } });
});

test("a change of the stream follows from the request that its item names, unless that was an earlier change", () => {
  const item = { ...key, revision: 2, change: { request: "six" } };
  const requestOf = (before: object | undefined, after: object | undefined) =>
    readStreamRecord(streamRecord(key, { before: before as never, after: after as never })).requestId;
  expect(requestOf(undefined, item)).toBe("six");
  expect(requestOf({ ...item, revision: 1 }, item)).toBe("six");
  expect(requestOf(item, { ...item, moved: true })).toBeUndefined();
  expect(requestOf(item, undefined)).toBeUndefined();
});
