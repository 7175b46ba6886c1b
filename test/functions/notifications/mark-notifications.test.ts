import { beforeEach, describe, expect, test } from "vitest";
import { handler } from "../../../functions/notifications/mark-notifications.ts";
import { markNotifications } from "../../../shared/contract/notifications.ts";
import { findNotifications, findUnreadCounts } from "../../../shared/notifications/notifications.ts";
import { firstOfMany, putNotifications } from "../../notifications/many-notifications.ts";
import { callerLine, notificationLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { idsIn } from "../../support/requests/pages.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";

const readAt = "2026-05-02T09:00:00.000Z";
const driver = { id: 5, role: "driver", company_id: null } as const;

useService();

beforeEach(() =>
  store([
    callerLine(driver),
    notificationLine(1, 5, { record_type: "Timesheet" }),
    notificationLine(2, 5, { record_type: "Job" }),
    notificationLine(3, 5, { record_type: "Chat", read_at: readAt }),
    notificationLine(4, 6),
  ]),
);

function mark(notification: unknown, as: TestUser = driver) {
  return call(handler, markNotifications, { as, body: { notification } });
}

async function readAtOf(userId: number): Promise<Record<number, string | null>> {
  const { items } = await findNotifications(userId, { limit: 200, beforeId: undefined, skip: 0 });
  return Object.fromEntries(items.map(({ id, read_at }) => [id, read_at]));
}

describe("200, with ids", () => {
  test("D26, D27: they are read now, and no longer count as unread", async () => {
    const before = new Date().toISOString();
    const answer = await mark({ notification_ids: [1], read: true });
    expect(answer.status).toBe(200);
    const [{ read_at }] = answer.body.notifications;
    expect(read_at >= before && read_at <= new Date().toISOString()).toBe(true);
    expect(await readAtOf(5)).toEqual({ 1: read_at, 2: null, 3: readAt });
    expect(await findUnreadCounts(5)).toEqual({ notifications: 1, timesheets: 0, jobs: 1, chats: 0 });
  });

  test("D26, D27: they are unread again, and count", async () => {
    const answer = await mark({ notification_ids: [3], read: false });
    expect(answer.body.notifications).toMatchObject([{ id: 3, read_at: null }]);
    expect(await findUnreadCounts(5)).toEqual({ notifications: 3, timesheets: 1, jobs: 1, chats: 1 });
  });

  test("D27: the answer is in request order, repeats collapse, it is never paginated, and what was read keeps its moment", async () => {
    const answer = await mark({ notification_ids: [2, 3, 2, 1], read: true });
    expect(idsIn(answer)).toEqual([2, 3, 1]);
    expect(answer.body.notifications[1].read_at).toBe(readAt);
    expect(answer.headers).toMatchObject({ total: "3", "per-page": "20" });
    expect(answer.headers.link).toBeUndefined();
  });
});

describe("200, up to an id", () => {
  test("D27: all that are unread are read then, the caller's own only", async () => {
    const answer = await mark({ up_to_id: 4, read: true });
    expect(idsIn(answer)).toEqual([2, 1]);
    expect(answer.headers).toMatchObject({ total: "2", "per-page": "20" });
    expect((await readAtOf(5))[3]).toBe(readAt);
    expect(await findUnreadCounts(5)).toEqual({ notifications: 0, timesheets: 0, jobs: 0, chats: 0 });
    expect(await readAtOf(6)).toEqual({ 4: null });
  });

  test("D27: what is newer stays unread, and so does what comes before a repetition", async () => {
    expect(idsIn(await mark({ up_to_id: 1, read: true }))).toEqual([1]);
    const first = await readAtOf(5);
    expect(first).toEqual({ 1: expect.any(String), 2: null, 3: readAt });
    await store([notificationLine(7, 5)]);
    expect(await mark({ up_to_id: 1, read: true })).toMatchObject({ status: 200, headers: { total: "0" } });
    expect(await readAtOf(5)).toEqual({ ...first, 7: null });
    await store([{ type: "notification", id: 7, user_id: 5, deleted: true }]);
  });

  test("D27: the id is anyone's, and null or empty ids beside it are none", async () => {
    for (const notification_ids of [null, ""]) {
      const answer = await mark({ notification_ids, up_to_id: Number.MAX_SAFE_INTEGER, read: true });
      expect(answer.status).toBe(200);
    }
    expect(await findUnreadCounts(5)).toMatchObject({ notifications: 0 });
    expect(await readAtOf(6)).toEqual({ 4: null });
  });

  test("D27: what a function has no time for stays unread, and the next call marks it", async () => {
    const user = { ...driver, id: 10 };
    await store([callerLine(user)]);
    await putNotifications(10, 220);
    const totals: (string | undefined)[] = [];
    for (const remainingMs of [6_499, 6_500]) {
      const answer = await call(handler, markNotifications, {
        as: user,
        body: { notification: { up_to_id: firstOfMany + 219, read: true } },
        remainingMs,
      });
      totals.push(answer.headers.total);
    }
    expect(totals).toEqual(["99", "121"]);
    expect(await findUnreadCounts(10)).toMatchObject({ notifications: 0, jobs: 0 });
  });

  test("D27: when nothing is unread, nothing is shown, and total is 0", async () => {
    const user = { ...driver, id: 9 };
    await store([callerLine(user)]);
    const answer = await mark({ up_to_id: 99, read: true }, user);
    expect(answer).toMatchObject({ status: 200, body: { notifications: [] }, headers: { total: "0" } });
  });
});

describe("404", () => {
  test("D2, D27: a missing and another user's notification look alike, and nothing changes", async () => {
    const answer = await mark({ notification_ids: [1, 4, 99], read: true });
    expect(answer).toMatchObject({ status: 404, body: { code: "records_not_found", missing_ids: [4, 99] } });
    expect(await readAtOf(5)).toEqual({ 1: null, 2: null, 3: readAt });
    expect(await findUnreadCounts(5)).toMatchObject({ notifications: 2 });
  });
});

test.each<[string, object, field: string, code?: string]>([
  ["unread without ids", { read: false }, "notification_ids"],
  ["unread up to an id", { up_to_id: 2, read: false }, "notification_ids"],
  ["read without ids and without the newest", { read: true }, "up_to_id"],
  ["read with null for both", { notification_ids: null, up_to_id: null, read: true }, "up_to_id"],
  ["read with both", { notification_ids: [1], up_to_id: 2, read: true }, "up_to_id"],
  ["unread with both", { notification_ids: [3], up_to_id: 3, read: false }, "up_to_id"],
  ["up to a text", { up_to_id: "2", read: true }, "up_to_id", "wrong_type"],
  ["up to nothing", { up_to_id: 0, read: true }, "up_to_id", "out_of_range"],
  ["up to a half", { up_to_id: 1.5, read: true }, "up_to_id", "wrong_type"],
  ["up to more than numbers hold", { up_to_id: 2 ** 53, read: true }, "up_to_id", "wrong_type"],
  ["up to a list", { up_to_id: [2], read: true }, "up_to_id", "wrong_type"],
])("D27: 422: %s: the field is named, and nothing changes", async (_, notification, field, code = "invalid") => {
  const answer = await mark(notification);
  const errors = [{ pointer: `/notification/${field}`, code }];
  expect(answer).toMatchObject({ status: 422, body: { code: "fields_invalid", errors } });
  expect(answer.body.errors).toHaveLength(1);
  expect(await readAtOf(5)).toEqual({ 1: null, 2: null, 3: readAt });
});
