import { beforeEach, describe, expect, test } from "vitest";
import { handler } from "../../../functions/workers/deliver-notifications.ts";
import { deliveredKey } from "../../../functions/workers/notification-delivery.ts";
import { findNotifications, findUnreadCounts } from "../../../shared/notifications/notifications.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { useModelClock } from "../../support/faults/model-clock.ts";
import { cancelled, useNetwork } from "../../support/faults/network.ts";
import { invoiceLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem, write } from "../../support/records/writes.ts";
import { useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";
import { drain, nothingFailed, queueEvent, storedNotifications } from "../../support/workers/workers.ts";

useService();
const proxy = useNetwork();
const clock = useModelClock();
const days = 24 * 60 * 60;
let lastCompany = 100;
let lastUser = 1_000;
let lastEvent = 0;

beforeEach(async () => {
  await takeMessages("NOTIFICATION_QUEUE_URL");
  proxy.reset();
});

/** New users of a company of their own, by their roles. */
async function newUsers(...roles: string[]): Promise<{ company: number; ids: number[] }> {
  lastCompany += 1;
  const ids = roles.map(() => ++lastUser);
  const place = { financial_company_id: lastCompany, email: null };
  await store(ids.map((id, at) => userLine(id, { ...place, role: roles[at], profile_id: id * 10 })));
  return { company: lastCompany, ids };
}

function message(recipients: object, changes: object = {}) {
  lastEvent += 1;
  const content = { record_type: "Job", record_id: 7, params: { type: "published" } };
  return { eventId: `event-${lastEvent}`, ...content, recipients, ...changes };
}

/** Processes a message, and all that it queues. */
async function deliver(...messages: object[]): Promise<void> {
  expect(await handler(queueEvent(...messages))).toEqual(nothingFailed);
  await drain("NOTIFICATION_QUEUE_URL", handler);
}

async function countsOf(userIds: readonly number[]): Promise<number[]> {
  return Promise.all(userIds.map(async (id) => (await storedNotifications(id)).length));
}

describe("D25: an event is notified", () => {
  test("as a new, unread notification with the moment, counted and to be pushed", async () => {
    const { ids } = await newUsers("operator");
    const [userId = 0] = ids;
    const before = new Date().toISOString();
    const sent = message({ users: ids }, { params: { type: "published", room: "Night shift" } });
    await deliver(sent);
    const { items } = await findNotifications(userId, { limit: 20, skip: 0, beforeId: undefined });
    const { record_type, record_id, params } = sent;
    expect(items).toEqual([
      { id: expect.any(Number), created_at: expect.any(String), read_at: null, record_type, record_id, params },
    ]);
    expect(items[0]?.created_at.localeCompare(before)).toBeGreaterThanOrEqual(0);
    expect(await findUnreadCounts(userId)).toEqual({ notifications: 1, timesheets: 0, jobs: 1, chats: 0 });
    const [stored] = await storedNotifications(userId);
    expect(stored).toMatchObject({ push: true, mark_key: `USER#${userId}#UNREAD` });
    const event = await readItem(deliveredKey(userId, sent.eventId));
    expect(Number(event?.expires_at) - Date.now() / 1000).toBeCloseTo(30 * days, -2);
  });

  test("to a company's users in the role, and to nobody else", async () => {
    const { company, ids } = await newUsers("operator", "client", "operator", "driver");
    const { ids: strangers } = await newUsers("operator");
    const sent = message({ company, role: "operator" });
    await handler(queueEvent(sent));
    // A page that is the last asks for no other.
    const queued = [{ recipients: { users: [ids[0], ids[2]] } }];
    expect(await takeMessages("NOTIFICATION_QUEUE_URL")).toMatchObject(queued);
    await deliver(sent);
    expect(await countsOf([...ids, ...strangers])).toEqual([1, 0, 1, 0, 0]);
  });

  test("to a user as the role and company are now", async () => {
    const { company, ids } = await newUsers("operator", "operator", "client");
    const { company: other } = await newUsers("client");
    await write({ type: "user", id: ids[0], role: "client" });
    await write({ type: "user", id: ids[1], financial_company_id: other });
    await deliver(message({ company, role: "operator" }), message({ company, role: "client" }));
    expect(await countsOf(ids)).toEqual([1, 0, 1]);
    await write({ type: "user", id: ids[0], financial_company_id: null });
    expect(await readItem(recordKey("USER", ids[0] ?? 0))).not.toHaveProperty("mark_key");
  });

  test("to the driver of a profile; a profile of nobody notifies nobody", async () => {
    const { ids } = await newUsers("driver");
    await deliver(message({ profile: (ids[0] ?? 0) * 10 }), message({ profile: 999_999 }));
    expect(await countsOf(ids)).toEqual([1]);
  });

  test("D26, D29: of a new timesheet to the first 50 operators by id: unread, not pushed, whatever became of it", async () => {
    // Ids of five digits and of six: their order is that of numbers.
    lastUser = 99_980;
    const { company, ids } = await newUsers(...Array.from({ length: 53 }, () => "operator"));
    const [actorId] = ids;
    await write(timesheetLine(company, company));
    const params = { type: "submitted", date: "2026-05-04" };
    const about = { record_type: "Timesheet", record_id: company, params, actorId };
    const late = message({ company, role: "operator", most: 50 }, about);
    await deliver(message({ company, role: "operator", most: 50 }, about));
    expect(await countsOf(ids)).toEqual([0, ...Array<number>(49).fill(1), 0, 0, 0]);
    const [userId = 0] = ids.slice(1);
    const [stored] = await storedNotifications(userId);
    expect(stored).toMatchObject({ record: { params, read_at: null } });
    expect(stored).not.toHaveProperty("push");
    await write({ type: "timesheet", id: company, state: "paid" });
    await deliver(late);
    await write({ type: "timesheet", id: company, deleted: true });
    expect(await findUnreadCounts(userId)).toEqual({ notifications: 2, timesheets: 2, jobs: 0, chats: 0 });
  });

  test("not to its author", async () => {
    const { company, ids } = await newUsers("operator", "operator");
    const [actorId] = ids;
    await deliver(message({ company, role: "operator" }, { actorId }), message({ users: ids }, { actorId }));
    expect(await countsOf(ids)).toEqual([0, 2]);
  });

  test("of an invoice while its state is the one that it reports, also if another field was changed", async () => {
    const { company, ids } = await newUsers("client", "client");
    const line = invoiceLine(company, company, { state: "overdue" });
    await write(line);
    const overdue = { record_type: "Invoice", record_id: company, params: { type: "overdue" }, state: "overdue" };
    const late = message({ company, role: "client" }, overdue);
    await write({ ...line, total: "7.00" });
    await deliver(message({ company, role: "client" }, overdue));
    expect(await countsOf(ids)).toEqual([1, 1]);
    await write({ ...line, state: "paid" });
    await deliver(late);
    await write({ type: "invoice", id: company, deleted: true });
    await deliver(late);
    expect(await countsOf(ids)).toEqual([1, 1]);
  });

  test("to those of the users named that there are; the others leave nothing behind", async () => {
    const { ids } = await newUsers("operator", "operator");
    await write({ type: "user", id: ids[1], deleted: true });
    const sent = message({ users: [...ids, 888_888] });
    await deliver(sent);
    expect(await countsOf([...ids, 888_888])).toEqual([1, 0, 0]);
    expect(await readItem(deliveredKey(888_888, sent.eventId))).toBeUndefined();
  });
});

describe("D25: an event is notified once", () => {
  test("when it comes ten times, side by side and after, to all or to some", async () => {
    const { company, ids } = await newUsers(...Array.from({ length: 45 }, () => "operator"));
    const sent = message({ users: ids });
    await handler(queueEvent({ ...sent, recipients: { users: ids.slice(20, 40) } }));
    await Promise.all(
      Array.from({ length: 5 }, () => deliver(sent, { ...sent, recipients: { company, role: "operator" } })),
    );
    expect(new Set(await countsOf(ids))).toEqual(new Set([1]));
    const counts = await Promise.all(ids.map(findUnreadCounts));
    expect(counts.every(({ notifications, jobs }) => notifications === 1 && jobs === 1)).toBe(true);
  });

  test("to a user who is named twice", async () => {
    const { ids } = await newUsers("operator");
    await deliver(message({ users: [...ids, ...ids] }));
    expect(await countsOf(ids)).toEqual([1]);
  });
});

describe("a message", () => {
  test("whose transactions conflict is processed all the same, and goes back when that does not end", async () => {
    const { ids } = await newUsers("operator");
    const sent = message({ users: ids });
    proxy.fail("TransactWriteItems", cancelled("TransactionConflict", 3), Number.POSITIVE_INFINITY);
    const outcome = await clock.run(() => handler(queueEvent(sent)));
    expect(outcome).toEqual({ batchItemFailures: [{ itemIdentifier: "message-0" }] });
    proxy.fail("TransactWriteItems", cancelled("TransactionConflict", 3), 2);
    await deliver(sent);
    expect(await countsOf(ids)).toEqual([1]);
  });

  test.each([
    { recipients: { users: [] } },
    { recipients: { users: Array.from({ length: 201 }, (_, at) => at + 1) } },
    { recipients: { company: 1, role: "boss" } },
    { recipients: { company: 1, role: "operator", most: 201 } },
    { recipients: {} },
    { params: {} },
    { eventId: "" },
  ])("that is malformed goes back and blocks no other: %j", async (changes) => {
    const { ids } = await newUsers("operator");
    const outcome = await handler(queueEvent({ ...message({ users: ids }), ...changes }, message({ users: ids })));
    expect(outcome).toEqual({ batchItemFailures: [{ itemIdentifier: "message-0" }] });
    expect(await countsOf(ids)).toEqual([1]);
  });
});
