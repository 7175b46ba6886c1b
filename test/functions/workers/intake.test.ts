import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { beforeEach, describe, expect, test } from "vitest";
import { findInvoices } from "../../../functions/finance/find-invoices.ts";
import { handler } from "../../../functions/workers/intake.ts";
import { forbiddenNames } from "../../../shared/contract/refusals.ts";
import { type NotificationMessage, notificationMessage } from "../../../shared/messages/notification-queue.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { useHeldItems } from "../../support/faults/held-items.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { invoiceLine, jobLine } from "../../support/records/records.ts";
import { readRecord } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";
import { nothingFailed, queueEvent } from "../../support/workers/workers.ts";

useService();
const proxy = useNetwork();
const held = useHeldItems();

beforeEach(() => {
  loggedLines.length = 0;
  proxy.reset();
});

/** Hands over messages, as text or as an event's detail; answers with the positions of those that failed. */
async function take(...messages: readonly (string | object)[]): Promise<number[]> {
  const bodies = messages.map((message) => (typeof message === "string" ? message : envelope(message)));
  const { batchItemFailures } = await handler(queueEvent(...bodies));
  return batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier.split("-")[1]));
}

function envelope(detail: unknown, type = "Record", source = "rota.example"): string {
  return JSON.stringify({ version: "0", id: "e", "detail-type": type, source, detail });
}

function job(id: number, version: number, changes: object = {}) {
  return { ...jobLine(id, 1), event_id: `job-${id}-${version}`, version, title: `v${version}`, ...changes };
}

function failures(): { code?: string; faults?: string; error?: string }[] {
  return loggedLines.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
}

describe("D35: a record event", () => {
  test("is stored as an import would store it, and its recipients are notified", async () => {
    expect(await take(envelope(job(1, 4), "Record", "r".repeat(65)))).toEqual([]);
    const stored = await readItem(recordKey("JOB", 1));
    expect(stored).toMatchObject({ id: 1, company_id: 1, version: 4, record: { title: "v4" } });
    expect(stored).toMatchObject({ change: { by: `event#${"r".repeat(64)}#job-1-4` } });
    expect(stored).not.toHaveProperty("silent");
    expect(stored).not.toHaveProperty("event_id");
    expect(loggedLines.join("")).not.toContain('"attempt"');
  });

  test("of a source with a long name is stored with the beginning of it, in whole letters", async () => {
    expect(await take(envelope(job(15, 1), "Record", `${"r".repeat(63)}😀r`))).toEqual([]);
    expect(await readItem(recordKey("JOB", 15))).toMatchObject({
      change: { by: `event#${"r".repeat(63)}😀#job-15-1` },
    });
  });

  test("may remove an invoice, with what finds it by its number", async () => {
    await take({ ...invoiceLine(6, 1), event_id: "i-6", version: 1 });
    const search = { scope: 1, states: ["pending", "paid", "overdue"], number: invoiceLine(6, 1).number } as const;
    const found = () => findInvoices(search, { limit: 20, skip: 0, beforeId: undefined });
    expect(await found()).toMatchObject({ total: 1 });
    await take({ type: "invoice", id: 6, event_id: "i-6-gone", version: 2, deleted: true });
    expect(await found()).toMatchObject({ total: 0 });
  });

  test("that is stale is counted by its source, and the log names the record", async () => {
    const stale = () => loggedLines.map((line) => JSON.parse(line)).filter((line) => line.StaleEvents);
    await take(job(5, Number.MAX_SAFE_INTEGER), job(6, 2));
    expect(stale()).toEqual([]);
    expect(await take(job(5, 2))).toEqual([]);
    expect(stale()).toMatchObject([{ StaleEvents: 1, source: "rota.example" }]);
    expect(loggedLines.join("")).toContain('"record_type":"job","record_id":5');
  });
});

describe("D35: record events", () => {
  test("of one call are written in one transaction", async () => {
    expect(await take(...Array.from({ length: 10 }, (_, at) => job(30 + at, 1)))).toEqual([]);
    expect(proxy.calls.get("TransactWriteItems")).toBe(1);
  });

  test("of one record are written one after the other, each by itself", async () => {
    const states = ["pending", "paid", "overdue", "pending", "paid"];
    const events = states.map((state, at) => ({
      ...invoiceLine(50, 1, { state }),
      version: at + 1,
      event_id: `v-${at}`,
    }));
    held.begin();
    expect(await take(...events)).toEqual([]);
    held.end();
    expect(held.figures).toMatchObject({ transactions: states.length, cancelled: 0 });
    expect(await readItem(recordKey("INVOICE", 50))).toMatchObject({ version: 5, record: { state: "paid" } });
  });
});

describe("D35: an invalid message", () => {
  test("fails, and the log names code and field", async () => {
    expect(await take(job(10, 1, { titel: "x" }))).toEqual([0]);
    expect(failures()).toMatchObject([{ code: "fields_invalid", faults: "/titel unknown_field" }]);
    expect(await readRecord("JOB", 10)).toBeUndefined();
  });

  test.each(forbiddenNames)("fails for a field called %s, which the log names", async (name) => {
    const note: unknown = JSON.parse(`{"${name}":"ada@example.com"}`);
    const params = { type: "message", note: [note] };
    const detail = { event_id: "named", recipients: [1], record_type: "Chat", record_id: 1, params };
    expect(await take(envelope(detail, "Notification"))).toEqual([0]);
    expect(failures()).toMatchObject([{ code: "fields_invalid", faults: `/params/note/0/${name} not_allowed` }]);
    expect(loggedLines.join("")).not.toContain("ada@");
  });

  test.each(["", "garbage", "null", "[]", '"text"', "5"])("fails whatever it is: %j", async (body) => {
    expect(await take(body)).toEqual([0]);
    expect(failures()).toHaveLength(1);
  });

  test("blocks no other of its batch", async () => {
    expect(await take(job(11, 1), "garbage", job(12, 1), envelope(job(13, 1), "Shipment"))).toEqual([1, 3]);
    expect(await readRecord("JOB", 11)).toMatchObject({ title: "v1" });
    expect(await readRecord("JOB", 12)).toMatchObject({ title: "v1" });
  });

  test("leaves nothing of its content in the log, not even as the name of a field", async () => {
    const secret = "ada@example.com";
    const details = [
      job(14, 1, { title: { secret } }),
      job(14, 1, { [secret]: 1 }),
      job(14, 1, { "07400123456": 1 }),
      { ...job(14, 1), event_id: secret, type: secret },
    ];
    expect(await take(`{"${secret}`, ...details)).toEqual([0, 1, 2, 3, 4]);
    expect(loggedLines.join("")).not.toMatch(/ada@|07400/);
    expect(failures().map(({ faults }) => faults)).toContain("/? unknown_field");
  });
});

describe("D25: a notification event", () => {
  beforeEach(() => takeMessages("NOTIFICATION_QUEUE_URL"));

  const content = { record_type: "Chat", record_id: 88, params: { type: "message", room: "Night shift" } };
  const asking = (changes: object) =>
    envelope({ event_id: "m-1", recipients: [1], ...content, ...changes }, "Notification");
  const messages = () => takeMessages("NOTIFICATION_QUEUE_URL") as Promise<NotificationMessage[]>;

  test("is queued for its recipients, once each and not for the actor", async () => {
    expect(await take(asking({ recipients: [12, 15, 12, 3], actor_id: 15 }))).toEqual([]);
    const eventId = expect.stringMatching(/^bus-/);
    expect(await messages()).toEqual([{ ...content, eventId, recipients: { users: [12, 3] }, requestId: "message-0" }]);
  });

  test("for 1,000 users is queued in messages of at most 200, all of one event", async () => {
    const recipients = Array.from({ length: 1_000 }, (_, at) => at + 1);
    expect(await take(asking({ recipients }))).toEqual([]);
    const queued = await messages();
    const lists = queued.map((each) => v.parse(notificationMessage, each).recipients);
    const users = lists.map((each) => ("users" in each ? each.users : []));
    expect(users.map(({ length }) => length)).toEqual([200, 200, 200, 200, 200]);
    expect(users.flat().toSorted((one, other) => one - other)).toEqual(recipients);
    expect(new Set(queued.map(({ eventId }) => eventId)).size).toBe(1);
  });

  test("with the largest params and the most recipients still fits its messages", async () => {
    const recipients = Array.from({ length: 1_000 }, (_, at) => Number.MAX_SAFE_INTEGER - at);
    const params = { type: "message", text: "€".repeat(5_450) };
    expect(await take(asking({ recipients, params }))).toEqual([]);
    expect(await messages()).toHaveLength(5);
  });

  test("for its actor alone is done with, and nothing is queued", async () => {
    expect(await take(asking({ actor_id: 1 }))).toEqual([]);
    expect(await messages()).toEqual([]);
  });
});

test("the sample event is taken in", async () => {
  const sample = readFileSync(join(import.meta.dirname, "../../../events/workers/intake.json"), "utf8");
  expect(await handler(JSON.parse(sample))).toEqual(nothingFailed);
  expect(await readRecord("JOB", 900_001)).toMatchObject({ title: "Forklift driver" });
});
