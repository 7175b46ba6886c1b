import type { DynamoDBRecord, SQSEvent } from "aws-lambda";
import { beforeEach, describe, expect, test } from "vitest";
import { handler as bulkUpdate } from "../../../functions/finance/bulk-update-timesheets.ts";
import { handler as invoices } from "../../../functions/finance/list-invoices.ts";
import { handler as intake } from "../../../functions/workers/intake.ts";
import { handler as notify } from "../../../functions/workers/notify.ts";
import { handler as updateTotals } from "../../../functions/workers/update-totals.ts";
import { bulkUpdateTimesheets, listInvoices } from "../../../shared/contract/finance.ts";
import { entities, entityOf } from "../../../shared/db/entities.ts";
import { markOverdue } from "../../../shared/db/records/overdue-invoices.ts";
import { keyOf, recordKey } from "../../../shared/db/table/keys.ts";
import type { Key } from "../../../shared/db/table/table.ts";
import { asRelease01, scanItems } from "../../support/records/items.ts";
import { updateRaw } from "../../support/records/raw-writes.ts";
import { callerLine, companyLine, invoiceLine, jobLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem, write } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";
import { streamRecord } from "../../support/workers/workers.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;

useService();

beforeEach(async () => {
  loggedLines.length = 0;
  await takeMessages("QUARANTINE_QUEUE_URL");
});

function list(company: number, query: object = {}) {
  return call(invoices, listInvoices, { as: admin, query: { by_company: String(company), ...query } });
}

function faults(): { code?: string; error_message?: string }[] {
  return loggedLines.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
}

/** Makes an item one of the next version, with a field that this version does not know. */
function makeNewer(key: Key, { isReadable }: { isReadable: boolean }) {
  return updateRaw({
    Key: { ...key },
    UpdateExpression:
      "SET schema_version = :next, schema_readable_from = :from, #record.extra = :extra, beside = :extra",
    ExpressionAttributeNames: { "#record": "record" },
    ExpressionAttributeValues: { ":next": 2, ":from": isReadable ? 0 : 2, ":extra": { kept: true } },
  });
}

describe("an item of a newer version that this one may read", () => {
  test("is shown without what is unknown, and keeps that and its version through every write", async () => {
    await store([callerLine(admin), invoiceLine(1, 1, { due_date: "2026-05-02" }), timesheetLine(1, 1)]);
    const [invoice, timesheet] = [recordKey("INVOICE", 1), recordKey("TIMESHEET", 1)];
    for (const key of [invoice, timesheet]) await makeNewer(key, { isReadable: true });
    const { status, body } = await list(1);
    expect([status, body.invoices[0].id, body.invoices[0].extra]).toEqual([200, 1, undefined]);
    expect(await write(invoiceLine(1, 1, { due_date: "2026-05-02", total: "7.00" }))).toBe("updated");
    expect(await markOverdue("2026-05-03")).toBe(1);
    const body_ = { timesheet: { timesheet_ids: [1], state: "paid" } };
    expect(await call(bulkUpdate, bulkUpdateTimesheets, { as: admin, body: body_ })).toMatchObject({ status: 200 });
    const kept = { schema_version: 2, schema_readable_from: 0, beside: { kept: true } };
    expect(await readItem(invoice)).toMatchObject({ ...kept, record: { total: "7.00", state: "overdue", extra: {} } });
    expect(await readItem(timesheet)).toMatchObject({ ...kept, record: { state: "paid", extra: { kept: true } } });
  });
});

describe("an item of a newer version that this one must not read", () => {
  test.each([
    {},
    { from_date: "2026-01-01" },
    { by_number: "INV" },
  ])("fails its list %j, and the log names it", async (query) => {
    await store([invoiceLine(2, 2)]);
    await makeNewer(recordKey("INVOICE", 2), { isReadable: false });
    expect(await list(2, query)).toMatchObject({ status: 500, body: { code: "internal_error" } });
    expect(faults()).toMatchObject([
      { code: "item_too_new", error_message: expect.stringContaining("INVOICE#2 INVOICE has version 2") },
    ]);
    await updateRaw({ Key: recordKey("INVOICE", 2) as never, UpdateExpression: "REMOVE schema_readable_from" });
  });

  test("is written by nobody: import, event, bulk update and overdue run fail", async () => {
    await store([callerLine(admin), invoiceLine(3, 3, { due_date: "2026-05-02" }), timesheetLine(3, 3)]);
    const keys = [recordKey("INVOICE", 3), recordKey("TIMESHEET", 3)];
    const before = await Promise.all(keys.map((key) => makeNewer(key, { isReadable: false })));
    await expect(write(invoiceLine(3, 3, { total: "3.00" }))).rejects.toMatchObject({ code: "item_too_new" });
    await expect(write({ type: "invoice", id: 3, deleted: true })).rejects.toMatchObject({ code: "item_too_new" });
    const detail = { event_id: "e-3", version: 1, ...invoiceLine(3, 3) };
    const body = JSON.stringify({ "detail-type": "Record", source: "rota.example", detail });
    const failed = await intake({ Records: [{ messageId: "m", body }] } as SQSEvent);
    expect(failed).toEqual({ batchItemFailures: [{ itemIdentifier: "m" }] });
    const fields = { timesheet: { timesheet_ids: [3], state: "paid" } };
    expect(await call(bulkUpdate, bulkUpdateTimesheets, { as: admin, body: fields })).toMatchObject({ status: 500 });
    await expect(markOverdue("2026-05-03")).rejects.toMatchObject({ code: "item_too_new" });
    expect(await Promise.all(keys.map(readItem))).toEqual(before);
    expect(faults().map(({ code }) => code)).toEqual(["item_too_new", "item_too_new"]);
    for (const Key of keys) await updateRaw({ Key: { ...Key }, UpdateExpression: "REMOVE schema_readable_from" });
  });

  test.each([
    ["notify", notify, 41],
    ["update-totals", updateTotals, 42],
  ])("goes back to the stream from %s, with all after it, and is not quarantined", async (_, handler, id) => {
    await store([jobLine(id, 4)]);
    const key = recordKey("JOB", id);
    const after = await makeNewer(key, { isReadable: false });
    const record = streamRecord(key, { after });
    const itemIdentifier = record.dynamodb?.SequenceNumber;
    expect(await handler({ Records: [record] })).toEqual({ batchItemFailures: [{ itemIdentifier }] });
    expect(await takeMessages("QUARANTINE_QUEUE_URL")).toEqual([]);
    expect(faults()).toMatchObject([{ code: "item_too_new" }]);
  });
});

describe("a change of an item that this version must not read", () => {
  const aged = (record: DynamoDBRecord, minutes: number): DynamoDBRecord => {
    const ApproximateCreationDateTime = Math.floor(Date.now() / 1000) - minutes * 60;
    return { ...record, dynamodb: { ...record.dynamodb, ApproximateCreationDateTime } };
  };

  test.each([
    ["notify", notify, 43],
    ["update-totals", updateTotals, 44],
  ])("is quarantined by %s once it is older than a deploy takes, and blocks none after it", async (_, handler, id) => {
    await store([jobLine(id, 4)]);
    const key = recordKey("JOB", id);
    const after = await makeNewer(key, { isReadable: false });
    const old = aged(streamRecord(key, { after }), 31);
    const young = aged(streamRecord(key, { after }), 29);
    const itemIdentifier = young.dynamodb?.SequenceNumber;
    expect(await handler({ Records: [old, young] })).toEqual({ batchItemFailures: [{ itemIdentifier }] });
    expect(await takeMessages("QUARANTINE_QUEUE_URL")).toMatchObject([
      { ...key, eventId: old.eventID, reason: expect.stringContaining("readable from version 2") },
    ]);
  });

  test("is given back as well where only the item before is too new: what became of it cannot be said", async () => {
    await store([jobLine(45, 4)]);
    const key = recordKey("JOB", 45);
    const after = await readItem(key);
    const before = await makeNewer(key, { isReadable: false });
    const record = streamRecord(key, { before, after });
    const itemIdentifier = record.dynamodb?.SequenceNumber;
    expect(await notify({ Records: [record] })).toEqual({ batchItemFailures: [{ itemIdentifier }] });
  });
});

describe("a damaged item", () => {
  test.each([
    ["a field is missing", "REMOVE #record.currency", {}],
    ["a field is of another type", "SET #record.currency = :wrong", { ":wrong": 7 }],
    ["the record is missing", "REMOVE #record", {}],
  ])("takes its list down, whose log names it: %s", async (_, UpdateExpression, values) => {
    await store([invoiceLine(5, 5), invoiceLine(6, 5)]);
    await updateRaw({
      Key: { ...recordKey("INVOICE", 5) },
      UpdateExpression,
      ExpressionAttributeNames: { "#record": "record" },
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    });
    for (const query of [{}, { from_date: "2026-01-01" }, { by_number: "INV" }]) {
      loggedLines.length = 0;
      expect(await list(5, query)).toMatchObject({ status: 500, body: { code: "internal_error" } });
      expect(faults()).toMatchObject([{ error_message: expect.stringContaining("INVOICE#5 INVOICE") }]);
    }
    await write({ type: "invoice", id: 5, deleted: true });
  });
});

describe("every item", () => {
  test("of records and of what follows from them belongs to exactly one entity, and has its version", async () => {
    await store([companyLine(7), invoiceLine(7, 7), timesheetLine(7, 7), jobLine(7, 7, { version: 1 })]);
    await write({ type: "job", id: 7, version: 2, deleted: true });
    const callers = ["KEYS", `USER#${admin.id}`, `LOGIN#user-${admin.id}@example.com`];
    const items = [...(await scanItems()).values()].filter(({ pk }) => !callers.includes(String(pk)));
    const kinds = new Set<string>();
    for (const item of items) {
      const owners = entities.filter(({ matches }) => matches(keyOf(item)));
      expect(
        owners.map(({ name }) => name),
        `${item.pk} ${item.sk}`,
      ).toHaveLength(1);
      expect(item.schema_version, `${item.pk} ${item.sk}`).toBeGreaterThanOrEqual(owners[0]?.version ?? 1);
      kinds.add(owners[0]?.name ?? "");
    }
    const expected = [
      "company",
      "counted place",
      "day bounds",
      "day totals",
      "invoice",
      "job",
      "list totals",
      "number entry",
      "removal",
      "timesheet",
      "tombstone",
    ];
    expect([...kinds].sort()).toEqual(expected.sort());
  });

  test("of release 0.1 reads as one of this version; importing it again is no write", async () => {
    await asRelease01(() => store([invoiceLine(8, 8)]));
    const before = await readItem(recordKey("INVOICE", 8));
    expect(before).not.toHaveProperty("schema_version");
    expect((await list(8)).body.invoices).toMatchObject([{ id: 8 }]);
    expect(await write(invoiceLine(8, 8))).toBe("unchanged");
    expect(await readItem(recordKey("INVOICE", 8))).toEqual(before);
    expect(await write(invoiceLine(8, 8, { total: "8.00" }))).toBe("updated");
    expect(await readItem(recordKey("INVOICE", 8))).toMatchObject({ schema_version: 1 });
    expect(entityOf(recordKey("INVOICE", 8))?.name).toBe("invoice");
  });
});
