import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { deliverNotification } from "../../../functions/workers/notification-delivery.ts";
import { findUnreadCounts, notificationKey } from "../../../shared/notifications/notifications.ts";
import { keyedChangeId } from "../../../shared/run/change.ts";
import { timeOrderedId } from "../../../shared/run/time-ordered-id.ts";
import { cancelled, useNetwork } from "../../support/faults/network.ts";
import { testContext } from "../../support/records/contexts.ts";
import { changesOf } from "../../support/records/items.ts";
import { callerLine, jobLine, notificationLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { adjust, isReplay, mark, markUpTo } from "../../support/requests/changes.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import { crashAt } from "./crash.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const operator = { id: 2, role: "operator", company_id: 1 } as const;
const start = Date.parse("2026-05-10T12:00:00.000Z");
const fault = { status: 400, body: { __type: "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException" } };

useService();
const network = useNetwork();
let key = "";
let id = 0;

beforeEach(async () => {
  vi.useFakeTimers({ now: start, toFake: ["Date"] });
  await renew();
  network.reset();
});

afterEach(() => {
  network.reset();
  vi.useRealTimers();
});

/** Another key, and other records. */
async function renew(): Promise<void> {
  key = crypto.randomUUID();
  id += 10;
  const people = [admin, operator].map((user) => callerLine(user, { passcode: null }));
  await store([...people, jobLine(id, 1), timesheetLine(id, 1), timesheetLine(id + 1, 1)]);
}

const set = (timer = 600) => adjust(admin, [id], timer, { key });
const pay = () => mark(operator, [id, id + 1], "paid", { key });
const job = () => readItem({ pk: `JOB#${id}`, sk: "JOB" });
const timesheet = (at = id) => readItem({ pk: `TIMESHEET#${at}`, sk: "TIMESHEET" });

test("D32: a fault before the transaction leaves nothing: the next request with the key is the first", async () => {
  network.fail("BatchGetItem", fault, 1);
  expect((await set()).status).toBe(500);
  const answer = await set(60);
  expect([answer.status, isReplay(answer)]).toEqual([200, false]);
  expect(await job()).toMatchObject({ timer: 60, timer_expires_at: "2026-05-10T12:01:00.000Z" });
});

test("D32: of two bodies under one key at once one is carried out, the other is refused", async () => {
  const goOn = network.hold("TransactWriteItems");
  const first = set();
  await network.held("TransactWriteItems");
  expect((await set(60)).status).toBe(200);
  goOn();
  expectProblem(await first, 422, "idempotency_key_reused");
  expect(await job()).toMatchObject({ timer: 60 });
});

describe("D32: a repetition finds the records as they are", () => {
  test("a payment that found all as asked, and has no change-id, is not made later", async () => {
    await mark(admin, [id, id + 1], "paid");
    const [before, first] = [await timesheet(), await pay()];
    expect([first.status, first.headers["change-id"], isReplay(first)]).toEqual([200, undefined, false]);
    expect(await timesheet()).toEqual(before);
    await mark(admin, [id, id + 1], "pending");
    const again = await pay();
    expect([again.status, again.headers["change-id"], isReplay(again)]).toEqual([200, undefined, true]);
    expect((await timesheet())?.record).toMatchObject({ state: "pending" });
  });

  test("records that were removed, or moved to another company, are left out", async () => {
    const paid = await pay();
    await store([{ type: "timesheet", id, company_id: 2 }]);
    const again = await pay();
    expect(again.headers).toMatchObject({ "change-id": paid.headers["change-id"], total: "1" });
    expect(again.body.timesheets).toMatchObject([{ id: id + 1 }]);
    await store([{ type: "timesheet", id: id + 1, deleted: true }]);
    expect(await pay()).toMatchObject({ status: 200, body: { timesheets: [] }, headers: { total: "0" } });
  });

  test("a key is free 5 minutes after its 24 hours, for the same and for another body", async () => {
    const paid = await pay();
    vi.setSystemTime(start + 24 * 60 * 60_000 + 5 * 60_000 - 1);
    expect(isReplay(await pay())).toBe(true);
    expectProblem(await mark(operator, [id], "paid", { key }), 422, "idempotency_key_reused");
    vi.setSystemTime(start + 24 * 60 * 60_000 + 5 * 60_000);
    const later = await mark(operator, [id], "pending", { key });
    expect([later.status, isReplay(later)]).toEqual([200, false]);
    expect(later.headers["change-id"]).not.toBe(paid.headers["change-id"]);
    expect(later.headers["change-id"]?.slice(0, 28)).toBe(paid.headers["change-id"]?.slice(0, 28));
  });
});

test("D32: a change without a key that finds all as asked stores nothing", async () => {
  await mark(admin, [id, id + 1], "paid");
  const before = await changesOf(operator.id);
  await mark(operator, [id, id + 1], "paid");
  expect(await changesOf(operator.id)).toEqual(before);
});

test("D32: the id of a keyed change follows from user, operation and key, and names neither", async () => {
  const named = (operation: string, userId = 1, sent = "k", at = 0) =>
    keyedChangeId({ userId, operation, key: sent }, new Date(at));
  const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const ids = [named("a"), named("b"), named("a", 2), named("a", 1, "l")];
  for (const each of ids) expect(each).toMatch(pattern);
  expect(new Set(ids.map((each) => each.slice(0, 28))).size).toBe(4);
  expect(named("a", 1, "k", 999)).toBe(named("a"));
  expect(named("a", 1, "k", 1_000)).not.toBe(named("a"));
  expect(named("a", 1, "k", 1_000).slice(0, 28)).toBe(named("a").slice(0, 28));
});

describe("D27: marking notifications up to an id", () => {
  const driver = () => ({ id: 10_000 + id, role: "driver", company_id: null }) as const;
  const unreadOf = async () => {
    const { id: userId } = driver();
    const items = await Promise.all([1, 2, 3].map((each) => readItem(notificationKey(userId, each))));
    return items.flatMap((item) => (item && !(item.record as { read_at: unknown }).read_at ? [item.id] : []));
  };
  const news = (...ids: number[]) =>
    store([callerLine(driver()), ...ids.map((each) => notificationLine(each, driver().id))]);

  test("a call that broke off is repeated: it marks the rest, and nothing that is newer", async () => {
    await news(1, 2);
    network.fail("TransactWriteItems", fault, 1);
    expect((await markUpTo(driver(), 2)).status).toBe(500);
    await news(3);
    const again = await markUpTo(driver(), 2);
    expect([again.status, again.headers.total, await unreadOf()]).toEqual([200, "2", [3]]);
    expect((await markUpTo(driver(), 2)).headers.total).toBe("0");
  });

  test("killed anywhere, a repeated call leaves each notification read and counted once", async () => {
    let calls = 0;
    for (let wasKilled = true; wasKilled; calls += 1) {
      await renew();
      await news(1, 2, 3);
      wasKilled = await crashAt(calls + 1, "after", () => markUpTo(driver(), 3));
      expect((await markUpTo(driver(), 3)).status).toBe(200);
      expect(await unreadOf(), `call ${calls + 1}`).toEqual([]);
      const counts = await readItem({ pk: `USER#${driver().id}`, sk: "COUNTS" });
      expect(counts).toMatchObject({ total: 3, notifications: 0 });
    }
    expect(calls).toBeGreaterThan(3);
  });

  test("each try of a delivery makes a new id: what a list that was read meanwhile does not show, no marking of it marks", async () => {
    await news(1);
    const goOn = network.hold("TransactWriteItems");
    network.fail("TransactWriteItems", cancelled("TransactionConflict", 3), 1);
    const about = { record_type: "Job", record_id: 7, params: { type: "published" } } as const;
    const arriving = deliverNotification([driver().id], { eventId: `late-${id}`, ...about }, testContext());
    await network.held("TransactWriteItems");
    vi.setSystemTime(start + 1_000);
    const shown = timeOrderedId(new Date(start + 999));
    goOn();
    await arriving;
    expect((await markUpTo(driver(), shown)).headers.total).toBe("1");
    expect(await findUnreadCounts(driver().id)).toMatchObject({ notifications: 1 });
  });
});
