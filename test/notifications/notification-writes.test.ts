import { expect, test } from "vitest";
import {
  findNotifications,
  findUnreadCounts,
  type Notification,
  notificationKey,
} from "../../shared/notifications/notifications.ts";
import { notificationLine } from "../support/records/records.ts";
import { faultsOf, readItem, write, writtenAt } from "../support/records/writes.ts";
import { fc } from "../support/service/properties.ts";
import { useService } from "../support/service/service.ts";

useService();

const readAt = "2026-05-02T09:00:00.000Z";
const whole = { limit: 200, beforeId: undefined, skip: 0 };

function countsOf(items: readonly Notification[]) {
  const unread = items.filter(({ read_at }) => read_at === null);
  const of = (type: string) => unread.filter(({ record_type }) => record_type === type).length;
  return { notifications: unread.length, timesheets: of("Timesheet"), jobs: of("Job"), chats: of("Chat") };
}

/** The counts are what counting the notifications gives. */
async function expectExactCounts(userId: number): Promise<void> {
  const { items, total } = await findNotifications(userId, whole);
  expect(total).toBe(items.length);
  expect(await findUnreadCounts(userId)).toEqual(countsOf(items));
}

test("D35: a notification is created once, then unchanged, then removed for good", async () => {
  expect(await write(notificationLine(1, 1))).toBe("created");
  expect(await write(notificationLine(1, 1))).toBe("unchanged");
  expect(await write({ type: "notification", id: 1, user_id: 1, deleted: true })).toBe("removed");
  expect(await write({ type: "notification", id: 1, user_id: 1, deleted: true })).toBe("unchanged");
  expect(await findNotifications(1, whole)).toMatchObject({ items: [], total: 0 });
  expect(await findUnreadCounts(1)).toEqual({ notifications: 0, timesheets: 0, jobs: 0, chats: 0 });
});

test("D35: a new one is unread and made now unless the line says otherwise, and must be whole", async () => {
  await write(notificationLine(2, 1, { created_at: undefined, read_at: undefined }));
  const { items } = await findNotifications(1, whole);
  expect(items).toMatchObject([{ id: 2, created_at: writtenAt.toISOString(), read_at: null }]);
  const bare = { type: "notification", id: 3, user_id: 1 };
  expect(await faultsOf(() => write(bare))).toEqual(["/params missing", "/record_id missing", "/record_type missing"]);
});

test("D29: an import that notifies pushes a notification, unless devices show none of its kind", async () => {
  const isPushed = async (id: number, type: string) => {
    await write(notificationLine(id, 6, { record_type: "Timesheet", params: { type } }), { notifies: true });
    return (await readItem(notificationKey(6, id)))?.push;
  };
  expect([await isPushed(7, "paid"), await isPushed(8, "submitted"), await isPushed(9, "toString")]).toEqual([
    true,
    undefined,
    true,
  ]);
});

test("D35: one id of two users is two notifications", async () => {
  await write(notificationLine(5, 3));
  await write(notificationLine(5, 4));
  await write({ type: "notification", id: 5, user_id: 3, deleted: true });
  expect(await findNotifications(4, whole)).toMatchObject({ total: 1 });
});

const change = fc.record({
  id: fc.integer({ min: 1, max: 6 }),
  deleted: fc.boolean(),
  record_type: fc.constantFrom("Timesheet", "Job", "Chat", "Invoice"),
  read_at: fc.constantFrom(null, readAt),
});

test("D26: counts equal the notifications after random changes in parallel", async () => {
  let userId = 2_000;
  const histories = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 25 }), async (changes) => {
    userId += 1;
    const run = ({ id, deleted, ...fields }: (typeof changes)[number]) =>
      write(deleted ? { type: "notification", id, user_id: userId, deleted } : notificationLine(id, userId, fields));
    await Promise.all(changes.map(run));
    await expectExactCounts(userId);
  });
  await fc.assert(histories, { numRuns: 15 });
});

test("a user's removal amid parallel notifications leaves exact counts", async () => {
  for (let id = 1; id <= 10; id += 1) await write(notificationLine(id, 5));
  const more = Array.from({ length: 10 }, (_, at) => write(notificationLine(100 + at, 5)));
  await Promise.all([write({ type: "user", id: 5, deleted: true }), ...more]);
  await expectExactCounts(5);
});
