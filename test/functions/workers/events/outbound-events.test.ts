import * as v from "valibot";
import { beforeEach, describe, expect, test } from "vitest";
import { handler as deliverNotifications } from "../../../../functions/workers/deliver-notifications.ts";
import { handler as intake } from "../../../../functions/workers/intake.ts";
import { handler as markOverdue } from "../../../../functions/workers/mark-overdue.ts";
import { readOutboundEvents } from "../../../../functions/workers/outbound-events.ts";
import {
  type OutboundEventType,
  outboundEventOf,
  outboundEventTypes,
} from "../../../../shared/contract/outbound-events.ts";
import { notificationKey } from "../../../../shared/notifications/notifications.ts";
import { apiKeysKey, findApiKeys, shownKey, validKeys } from "../../../../shared/people/api-keys.ts";
import { findStoredUser, replacePassword, userKey } from "../../../../shared/people/users.ts";
import { settings } from "../../../../shared/run/settings.ts";
import { recordKey } from "../../../../shared/table/table.ts";
import { transact } from "../../../../shared/table/writes.ts";
import { testContext } from "../../../support/records/contexts.ts";
import {
  callerLine,
  invoiceLine,
  jobLine,
  notificationLine,
  timesheetLine,
  userLine,
} from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { readItem, write } from "../../../support/records/writes.ts";
import { keyOf } from "../../../support/requests/api-keys.ts";
import { adjust, mark, undo } from "../../../support/requests/changes.ts";
import { faultsAt } from "../../../support/requests/described-answers.ts";
import { useService } from "../../../support/service/service.ts";
import { changeAt, changeBy, sendOut, useOutboundBus } from "../../../support/workers/events.ts";
import { queueEvent, storedNotifications } from "../../../support/workers/workers.ts";

const service = useService();
const received = useOutboundBus(service);
const admin = { id: 1, role: "admin", company_id: null } as const;
const at = new Date("2026-05-04T16:00:07.000Z");
const aloud = { notifies: true };
const seen = new Set<string>();

beforeEach(async () => {
  await store([callerLine(admin)]);
  received.length = 0;
});

/** The events since the last look, each as its schema has it, in its envelope on the bus. */
function sent() {
  return received.splice(0).map(({ detail, ...envelope }) => {
    const { type } = detail as { type: OutboundEventType };
    const event = v.parse(outboundEventOf(type), detail);
    expect(event).toEqual(detail);
    const place = ["webhooks", type, "post", "requestBody", "content", "application/json", "schema"];
    expect(faultsAt(place, detail), type).toEqual([]);
    expect(envelope).toMatchObject({ source: event.source, "detail-type": type });
    expect(Date.parse(envelope.time)).toBe(Date.parse(event.time));
    seen.add(type);
    return event;
  });
}

async function revisionOf(key: Parameters<typeof readItem>[0]): Promise<string> {
  return String((await readItem(key))?.revision).padStart(16, "0");
}

const setState = (id: number, state: string) => mark(admin, [id], state);
const setTimer = (id: number, timer: number) => adjust(admin, [id], timer);

test("a timesheet that is paid, and pending again: all of it but its driver, with revision and company", async () => {
  const key = recordKey("TIMESHEET", 11);
  await store([timesheetLine(11, 3)]);
  await sendOut(await changeBy(key, () => setState(11, "paid"), at));
  const [paid, ...others] = sent();
  expect(others).toEqual([]);
  expect(paid).toEqual({
    specversion: "1.0",
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    source: settings.eventSource(),
    type: "timesheet.paid",
    time: at.toISOString(),
    subject: "timesheet/11",
    datacontenttype: "application/json",
    dataschema: "urn:workforce:event:timesheet.paid:1",
    sequence: await revisionOf(key),
    companyid: "3",
    data: {
      id: 11,
      company_id: 3,
      currency: "GBP",
      date: "2026-05-04",
      profile_id: 70,
      state: "paid",
      total: "120.00",
    },
  });
  await sendOut(await changeBy(key, () => setState(11, "pending"), at));
  const [pending] = sent();
  expect(pending).toMatchObject({ type: "timesheet.pending", data: { id: 11, state: "pending" } });
  expect(Number(pending?.sequence)).toBe(Number(paid?.sequence) + 1);
  await sendOut(await changeBy(key, () => setState(11, "pending"), at));
  expect(sent()).toEqual([]);
});

test("a timesheet that is new: submitted while it waits for its payment", async () => {
  const key = recordKey("TIMESHEET", 18);
  await sendOut(await changeBy(key, () => write(timesheetLine(18, 3), aloud)));
  expect(sent()).toMatchObject([
    {
      type: "timesheet.submitted",
      subject: "timesheet/18",
      companyid: "3",
      data: { state: "pending", profile_id: 70 },
    },
  ]);
});

test("an invoice that is issued, turns overdue and is paid", async () => {
  const key = recordKey("INVOICE", 12);
  const line = invoiceLine(12, 3, { due_date: "2020-01-01" });
  await sendOut(await changeBy(key, () => write(line, { ...aloud, now: new Date("2019-12-31T12:00:00Z") })));
  expect(sent()).toMatchObject([{ type: "invoice.issued", subject: "invoice/12", companyid: "3" }]);
  await sendOut(await changeBy(key, () => markOverdue()));
  expect(sent()).toMatchObject([{ type: "invoice.overdue", data: { state: "overdue", number: "INV-2026-00012" } }]);
  await sendOut(await changeBy(key, () => write({ ...line, state: "paid" }, aloud)));
  expect(sent()).toMatchObject([{ type: "invoice.paid", data: { id: 12, company_id: 3, total: "1250.00" } }]);
});

test("a job that another system publishes, and its timer: cleared where there was none is no news", async () => {
  const key = recordKey("JOB", 13);
  const detail = { ...jobLine(13, 3), version: 1, event_id: "job-13" };
  const event = { version: "0", id: "job-13", "detail-type": "Record", source: "jobs.example", detail };
  await sendOut(await changeBy(key, () => intake(queueEvent(event))));
  expect(sent()).toMatchObject([
    { type: "job.published", data: { id: 13, title: "Forklift driver", number: 4013, company_id: 3 } },
  ]);
  await sendOut(await changeBy(key, () => setTimer(13, 0)));
  expect(sent()).toEqual([]);
  await sendOut(await changeBy(key, () => setTimer(13, 90)));
  const [timed] = sent();
  const expires = (await readItem(key))?.timer_expires_at;
  expect(timed).toMatchObject({ type: "job.timer_adjusted", data: { id: 13, timer: 90, timer_expires_at: expires } });
  await sendOut(await changeBy(key, () => setTimer(13, 0)));
  expect(sent()).toMatchObject([{ data: { id: 13, timer: 0, timer_expires_at: null } }]);
});

test("a notification: whose, of what kind, about which record; nothing of what another system wrote into it", async () => {
  await store([userLine(14)]);
  const params = { type: "message", room: "Night shift", text: "Call Ada" };
  const content = { eventId: "chat-14", record_type: "Chat", record_id: 88, params };
  await deliverNotifications(queueEvent({ ...content, recipients: { users: [14] } }));
  const [stored] = await storedNotifications(14);
  const id = Number(stored?.id);
  await sendOut(changeAt(at, notificationKey(14, id), { after: stored }));
  const [created, ...others] = sent();
  expect(others).toEqual([]);
  const { created_at } = (stored?.record ?? {}) as { created_at?: string };
  const data = { id, user_id: 14, record_type: "Chat", record_id: 88, type: "message", created_at };
  expect(created).toMatchObject({ type: "notification.created", subject: `notification/${id}`, data });
  expect(Object.keys(created?.data ?? {}).toSorted()).toEqual(Object.keys(data).toSorted());
  expect(created).not.toHaveProperty("companyid");
});

test("a new password: the user and the moment, and nothing else", async () => {
  const key = userKey(15);
  await store([userLine(15, { email: "ada@harbour.example", password: "seven quiet harbours" })]);
  const stored = await findStoredUser(15);
  if (!stored) throw new Error("The user was not stored");
  const replacement = { passwordHash: "hash", endedKeys: 0, names: {} };
  await sendOut(await changeBy(key, () => transact(replacePassword(stored, replacement, testContext(at))), at));
  const [time, sequence] = [at.toISOString(), await revisionOf(key)];
  const [changed, ...others] = sent();
  expect(others).toEqual([]);
  expect(changed).toMatchObject({ type: "user.password_changed", time, subject: "user/15", sequence });
  expect(changed?.data).toEqual({ user_id: 15, changed_at: time });
});

test("a new API key: its user, access and moments, and neither its name nor its secret", async () => {
  await store([userLine(19, { email: "grace@harbour.example" })]);
  const key = apiKeysKey(19);
  await keyOf(19, "read", "Nightly export");
  await sendOut(await changeBy(key, () => keyOf(19, "act", "Pay run")));
  const [created, ...others] = sent();
  expect(others).toEqual([]);
  const made = validKeys(await findApiKeys(19), 0, new Date()).at(-1);
  if (!made) throw new Error("No key was made");
  const sequence = await revisionOf(key);
  expect(created).toMatchObject({ type: "user.api_key_created", subject: `api_key/${made.id}`, sequence });
  const { created_at, expires_at } = shownKey(made);
  expect(created?.data).toEqual({ user_id: 19, key_id: made.id, access: "act", created_at, expires_at });
  expect(created).not.toHaveProperty("companyid");
});

test("a change that is undone: one event for each record, beside the one of what is as it was", async () => {
  const [paid, timed] = [recordKey("TIMESHEET", 16), recordKey("JOB", 17)];
  await store([timesheetLine(16, 3), jobLine(17, 3)]);
  const idOf = ({ headers }: { headers: Readonly<Record<string, string>> }) => headers["change-id"] ?? "";
  const [payment, timing] = [idOf(await setState(16, "paid")), idOf(await setTimer(17, 90))];
  const undone = await changeBy(paid, () => undo(admin, payment));
  await sendOut(undone, await changeBy(timed, () => undo(admin, timing)));
  const events = sent();
  expect(events).toMatchObject([
    { type: "timesheet.pending" },
    {
      type: "change.undone",
      subject: "timesheet/16",
      companyid: "3",
      data: { change_id: payment, company_id: 3, record_id: 16, record_type: "timesheet" },
    },
    { type: "job.timer_adjusted", data: { id: 17, timer: 0, timer_expires_at: null } },
    { type: "change.undone", subject: "job/17", data: { change_id: timing, record_id: 17, record_type: "job" } },
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(4);
  await sendOut(await changeBy(paid, () => write(timesheetLine(16, 3, { total: "7.00" }), aloud)));
  expect(sent()).toEqual([]);
});

test("every kind of the contract was among these", () => {
  expect([...seen].toSorted(), "add a change that sends the missing one, as the tests above do").toEqual(
    outboundEventTypes.toSorted(),
  );
});

describe("what goes out", () => {
  test("is nothing for what was written silently, for a removal, for a renewed hash, and for a read notification", async () => {
    await sendOut(await changeBy(recordKey("INVOICE", 21), () => write(invoiceLine(21, 3))));
    await sendOut(
      await changeBy(recordKey("INVOICE", 21), () => write({ type: "invoice", id: 21, deleted: true }, aloud)),
    );
    await sendOut(await changeBy(notificationKey(8, 21), () => write(notificationLine(21, 8))));
    const user = { id: 8, revision: 1, record: {}, password_changed_at: at.toISOString() };
    await sendOut(changeAt(at, userKey(8), { before: user, after: { ...user, revision: 2, silent: true } }));
    const job = { id: 21, company_id: 3, revision: 2, record: {}, silent: true };
    const change = { eventId: "e", changedAt: at, key: recordKey("JOB", 21), before: job };
    expect(
      readOutboundEvents({ ...change, after: { ...job, timer: 9, change: { undoes: "change-1" } } }, "any"),
    ).toEqual([]);
    expect(sent()).toEqual([]);
  });

  test("has the same id when the change comes again, and another for another change of the record", async () => {
    const key = recordKey("TIMESHEET", 22);
    await store([timesheetLine(22, 3)]);
    const paid = await changeBy(key, () => setState(22, "paid"));
    await sendOut(paid);
    await sendOut(paid);
    await sendOut(await changeBy(key, () => setState(22, "pending")));
    const [first, again, other] = sent().map(({ id }) => id);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });
});
