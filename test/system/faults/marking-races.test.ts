import { beforeEach, expect, test } from "vitest";
import { handler } from "../../../functions/notifications/mark-notifications.ts";
import { markNotifications } from "../../../shared/contract/notifications.ts";
import { findUnreadCounts } from "../../../shared/notifications/notifications.ts";
import type { Item } from "../../../shared/table/table.ts";
import { putNotifications } from "../../notifications/many-notifications.ts";
import { useModelClock } from "../../support/faults/model-clock.ts";
import { cancelled, useNetwork } from "../../support/faults/network.ts";
import { callerLine, notificationLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem, write } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";
import { storedNotifications } from "../../support/workers/workers.ts";

const types = ["Timesheet", "Job", "Chat", "Invoice"];
const ids = Array.from({ length: 30 }, (_, index) => index + 1);
/** Everything that a test stores, whenever it does. */
const all = { up_to_id: Number.MAX_SAFE_INTEGER, read: true };

useService();
const network = useNetwork();
const clock = useModelClock();
let userId = 100;
const user = () => ({ id: userId, role: "driver", company_id: null }) as const;

beforeEach(async () => {
  userId += 1;
  await store([callerLine(user()), ...ids.map((id) => line(id))]);
  network.reset();
});

function line(id: number) {
  return notificationLine(id, userId, { record_type: types[id % 4] });
}

function mark(notification: object) {
  return call(handler, markNotifications, {
    as: user(),
    body: { notification },
  });
}

async function expectExactCounts(): Promise<void> {
  const present = await storedNotifications(userId);
  const unread = present.filter(({ record }) => (record as { read_at: unknown }).read_at === null);
  const of = (type: string) => unread.filter(({ record }) => (record as Item).record_type === type).length;
  const counted = { notifications: unread.length, timesheets: of("Timesheet"), jobs: of("Job"), chats: of("Chat") };
  expect(await findUnreadCounts(userId)).toEqual(counted);
  expect(await readItem({ pk: `USER#${userId}`, sk: "COUNTS" })).toMatchObject({ total: present.length });
  expect(present.filter(({ mark_key }) => mark_key !== undefined).map(({ id }) => id)).toEqual(
    unread.map(({ id }) => id),
  );
}

test("D26: marking, unmarking and marking all in parallel leaves counts equal to the notifications", async () => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) => {
      const some = ids.filter((id) => (id + index) % 3 === 0);
      return mark(index % 10 === 0 ? all : { notification_ids: some, read: index % 2 === 0 });
    }),
  );
  for (const { status } of answers) expect([200, 503]).toContain(status);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  await expectExactCounts();
});

test("D26: notifications that come in while all are marked are counted, once", async () => {
  const more = Array.from({ length: 60 }, (_, index) => line(1_000 + index));
  const [, ...answers] = await Promise.all([store(more), mark(all), mark(all), mark(all)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await expectExactCounts();
});

test("D27: of parallel calls, each marking all, each notification is marked by one", async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => mark(all)));
  const totals = answers.map(({ headers }) => Number(headers.total));
  expect(totals.reduce((sum, total) => sum + total, 0)).toBe(30);
  expect(await findUnreadCounts(userId)).toMatchObject({ notifications: 0 });
});

test("D27: a chunk that meets a conflict is tried again; one that fails leaves whole chunks behind", async () => {
  await store(Array.from({ length: 100 }, (_, index) => line(1_000 + index)));
  network.reset();
  network.fail("TransactWriteItems", cancelled("TransactionConflict", 91), 2);
  expect(await mark(all)).toMatchObject({ status: 200, headers: { total: "130" } });
  await Promise.all([
    mark({ notification_ids: ids, read: false }),
    store(ids.map((id) => line(2_000 + id))),
    store(ids.map((id) => line(3_000 + id))),
    store(ids.map((id) => line(4_000 + id))),
  ]);
  network.fail("TransactWriteItems", cancelled("TransactionConflict", 91), Number.POSITIVE_INFINITY, 1);
  const refused = { status: 503, body: { code: "busy" }, headers: { "retry-after": "1" } };
  expect(await clock.run(() => mark(all))).toMatchObject(refused);
  network.reset();
  await expectExactCounts();
  expect(await findUnreadCounts(userId)).toMatchObject({ notifications: 21 });
  expect(await mark(all)).toMatchObject({ status: 200, headers: { total: "21" } });
});

test("D27: a partition that has no units left for a moment slows marking, and refuses none of it", async () => {
  userId += 1;
  await store([callerLine(user())]);
  await putNotifications(userId, 100);
  network.reset();
  network.fail("TransactWriteItems", cancelled("ThrottlingError", 100), 4, 1);
  expect(await mark(all)).toMatchObject({ status: 200, headers: { total: "100" } });
  expect(network.calls.get("TransactWriteItems")).toBe(4 + Math.ceil(100 / 99));
  expect(await findUnreadCounts(userId)).toMatchObject({ notifications: 0 });
});

test("D27: an index that is behind marks nothing twice and counts nothing that is gone", async () => {
  await mark({ notification_ids: [1, 2], read: true });
  await write({ type: "notification", id: 3, user_id: userId, deleted: true });
  const entries = [4, 3, 2].map((id) => ({ mark_order: { S: String(id).padStart(16, "0") } }));
  network.fail("Query", { status: 200, body: { Items: entries, Count: 3 } }, 1);
  const answer = await mark(all);
  expect(answer).toMatchObject({ status: 200, body: { notifications: [{ id: 4 }] }, headers: { total: "1" } });
  await expectExactCounts();
});
