import { expect, test } from "vitest";
import { markByIds, markReadUpTo } from "../../functions/notifications/mark-notifications.ts";
import { driverContext } from "../support/records/contexts.ts";
import { costOf } from "../support/records/costs.ts";
import { notificationLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { readItem, write } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";

const now = new Date("2026-05-10T12:00:00.000Z");
let userId = 0;

useService();

/** Another user with so many unread notifications. */
async function notify(count: number): Promise<void> {
  userId += 1;
  await store(Array.from({ length: count }, (_, index) => notificationLine(index + 1, userId)));
}

function stored(id: number) {
  return readItem({ pk: `USER#${userId}`, sk: `NOTIFICATION#${String(id).padStart(16, "0")}` });
}

test("D27: unread notifications, and they alone, stand in the index of what their user has not read", async () => {
  await notify(10);
  const mark = { mark_key: `USER#${userId}#UNREAD`, mark_order: "0000000000000007" };
  expect(await stored(7)).toMatchObject(mark);
  await markByIds([7], true, driverContext(userId, now));
  expect(await stored(7)).not.toHaveProperty("mark_key");
  expect(await stored(7)).not.toHaveProperty("mark_order");
  await markByIds([7], false, driverContext(userId));
  expect(await stored(7)).toMatchObject(mark);
  await write({ type: "notification", id: 7, user_id: userId, read_at: now.toISOString() });
  expect(await stored(7)).not.toHaveProperty("mark_key");
  await write({ type: "notification", id: 7, user_id: userId, read_at: null });
  expect(await stored(7)).toMatchObject(mark);
  await write(notificationLine(900, userId, { read_at: now.toISOString() }));
  expect(await stored(900)).not.toHaveProperty("mark_key");
});

test("D35: what an import wrote silently is no longer silent once it is marked", async () => {
  await notify(10);
  expect(await stored(7)).toMatchObject({ silent: true });
  await markByIds([7], true, driverContext(userId, now));
  expect(await stored(7)).not.toHaveProperty("silent");
});

test("D27: 90 by id cost 90 read units and two round trips; those that stand so already are only read", async () => {
  await notify(90);
  const ids = Array.from({ length: 90 }, (_, index) => index + 1);
  const cost = await costOf(() => markByIds(ids, true, driverContext(userId, now)));
  expect(cost).toMatchObject({ readUnits: 90, sequentialTrips: 2 });
  const again = await costOf(() => markByIds(ids, true, driverContext(userId, now)));
  expect(again).toEqual({ readUnits: 90, writeUnits: 0, sequentialTrips: 1 });
});

test("D27: all that are unread cost one round trip for every 99, and two before the first, however many are read", async () => {
  await notify(200);
  const read = Array.from({ length: 90 }, (_, index) => index + 1);
  await markByIds(read, true, driverContext(userId, now));
  const cost = await costOf(() => markReadUpTo(200, driverContext(userId, now)));
  expect(cost.readUnits).toBeLessThanOrEqual(110 + 2);
  expect(cost.sequentialTrips).toBeLessThanOrEqual(2 + 2);
});
