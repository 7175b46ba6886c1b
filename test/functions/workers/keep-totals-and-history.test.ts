import type { DynamoDBRecord } from "aws-lambda";
import { beforeEach, describe, expect, test } from "vitest";
import { handler } from "../../../functions/workers/keep-totals-and-history.ts";
import { endedAt, sessionKey } from "../../../shared/db/accounts/sessions.ts";
import { findHistory } from "../../../shared/db/history/find-history.ts";
import { questions } from "../../../shared/db/history/history-items.ts";
import { reconcileTotals } from "../../../shared/db/reconcile/reconcile-totals.ts";
import { putIf } from "../../../shared/db/table/conditional-writes.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import { crashEverywhere } from "../../support/faults/crash.ts";
import { type Fault, transactionConflict, useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { expectExactTotals } from "../../support/records/exact-totals.ts";
import { invoiceLine, timesheetLine } from "../../support/records/records.ts";
import { write } from "../../support/records/writes.ts";
import { useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";
import { streamRecord } from "../../support/workers/workers.ts";

useService();
const proxy = useFaultProxy();
let nextId = 0;

beforeEach(() => proxy.reset());

const throttled: Fault = {
  status: 400,
  body: { __type: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException", message: "Slow down" },
};
const failed: Fault = { status: 500, body: { __type: "InternalServerError", message: "Internal error" } };

/** The stream record of a change of a record, as far as the consumer reads it. */
function changeOf(kind: "INVOICE" | "TIMESHEET", id: number, at = id): DynamoDBRecord {
  const { pk, sk } = recordKey(kind, id);
  const dynamodb = { Keys: { pk: { S: pk }, sk: { S: sk } }, SequenceNumber: String(at) };
  return { eventID: `event-${id}-${at}`, eventName: "MODIFY", dynamodb };
}

async function storeSome(): Promise<DynamoDBRecord[]> {
  const from = nextId + 1;
  nextId += 4;
  await Promise.all([0, 1].map((at) => write(invoiceLine(from + at, 1))));
  await Promise.all([2, 3].map((at) => write(timesheetLine(from + at, 2))));
  return [0, 1, 2, 3].map((at) => changeOf(at < 2 ? "INVOICE" : "TIMESHEET", from + at));
}

test("killed before and after every call that it makes, and started again, it has counted everything once", async () => {
  const crashes = await crashEverywhere(async (kill) => {
    const Records = await storeSome();
    await kill(() => handler({ Records }));
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
    await expectExactTotals();
  });
  expect(crashes).toBeGreaterThanOrEqual(8);
});

test("D41: killed before and after every call, it has kept the history of records, users and sessions once", async () => {
  const stamp = (revision: number) => ({
    revision,
    change: { ...author, id: `c-${revision}` },
  });
  const author = { by: "user#7", operation: "test", at: "2026-05-10T12:00:00.000Z" };
  const user = (first_name: string, revision: number) => ({ record: { first_name }, ...stamp(revision) });
  const session = { ...sessionKey(500, "zz1"), valid_to: "2026-06-01T09:00:00.000Z" };
  const item = { ...recordKey("INVOICE", 600), id: 600, company_id: 9 };
  const invoice = (total: string, revision: number) => ({
    ...item,
    record: { state: "paid", number: "1", issued_date: "2026-05-01", total },
    ...stamp(revision),
  });
  const changes = [
    streamRecord(recordKey("USER", 500), { before: user("Ada", 1), after: user("Ida", 2) }),
    streamRecord(session, { before: session, after: { ...session, valid_to: endedAt, change: stamp(3).change } }),
    streamRecord(recordKey("INVOICE", 600), { before: invoice("1.00", 3), after: invoice("2.00", 4) }),
  ];
  const ApproximateCreationDateTime = Math.floor(Date.now() / 1_000);
  const Records = changes.map((each) => ({ ...each, dynamodb: { ...each.dynamodb, ApproximateCreationDateTime } }));
  await crashEverywhere(async (kill) => {
    await kill(() => handler({ Records }));
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
  });
  const start = { limit: 10, now: new Date() };
  expect(await findHistory(questions.ofRecord("user", 500), start)).toMatchObject({
    changes: [
      { type: "session", id: "zz1", did: "ended", user_id: 500, change: { by: "user#7" } },
      { type: "user", id: 500, did: "updated", before: { first_name: "Ada" }, after: { first_name: "Ida" } },
    ],
  });
  const { changes: ofInvoice } = await findHistory(questions.ofCompany(9), start);
  expect(ofInvoice).toMatchObject([{ type: "invoice", id: 600, before: { total: "1.00" }, after: { total: "2.00" } }]);
});

test("an invoice whose number changes, or that is removed, leaves nothing that a search by its old number finds", async () => {
  const Records = await storeSome();
  const id = nextId - 3;
  for (const line of [{ number: "WREN-2026-1" }, { number: "ROOK-7" }, { deleted: true }]) {
    await write({ type: "invoice", id, ...line });
    await handler({ Records });
    await expectExactTotals();
  }
});

test.each([
  ["its reading of the count", "BatchGetItem", 0],
  ["its reading of the record", "BatchGetItem", 1],
  ["its transaction", "TransactWriteItems", 0],
])("delayed at %s while a later change is counted, it does not undo that", async (_, action, passing) => {
  const Records = await storeSome();
  await handler({ Records });
  const id = nextId - 3;
  await write({ type: "invoice", id, state: "paid" });
  const release = proxy.hold(action, passing);
  const late = handler({ Records });
  await expect.poll(() => proxy.holding(action)).toBe(true);
  await write({ type: "invoice", id, state: "overdue", issued_date: "2025-12-31" });
  await handler({ Records });
  release();
  expect(await late).toEqual({ batchItemFailures: [] });
  await expectExactTotals();
});

test("delayed at its transaction while the record goes again, uncounted by others, it does not count it", async () => {
  const id = nextId + 1;
  nextId += 4;
  await write(invoiceLine(id, 1));
  const Records = [changeOf("INVOICE", id)];
  const release = proxy.hold("TransactWriteItems");
  const late = handler({ Records });
  await expect.poll(() => proxy.holding("TransactWriteItems")).toBe(true);
  await write({ type: "invoice", id, deleted: true });
  await handler({ Records });
  release();
  expect(await late).toEqual({ batchItemFailures: [] });
  await expectExactTotals();
});

describe("faults that pass", () => {
  test.each<[string, string, Fault, number]>([
    ["conflicting transactions", "TransactWriteItems", transactionConflict(5), 4],
    ["throttled reads", "BatchGetItem", throttled, 2],
    ["failing reads", "BatchGetItem", failed, 2],
    ["failing transactions", "TransactWriteItems", failed, 2],
  ])("%s are tried again at once", async (_, action, fault, times) => {
    const Records = await storeSome();
    proxy.fail(action, fault, times);
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
    await expectExactTotals();
  });

  test.each<[string, Fault]>([
    ["TransactWriteItems", failed],
    ["BatchGetItem", throttled],
  ])("where %s keeps failing the whole batch goes back to the stream, and nothing is quarantined", async (action, fault) => {
    const Records = await storeSome();
    proxy.fail(action, fault, 1_000);
    expect(await handler({ Records })).toEqual({
      batchItemFailures: [{ itemIdentifier: Records[0]?.dynamodb?.SequenceNumber }],
    });
    expect(await takeMessages("QUARANTINE_QUEUE_URL")).toEqual([]);
    proxy.reset();
    await handler({ Records });
    await expectExactTotals();
  });
});

test("a poison record is quarantined with its key, sequence number and reason, and blocks nobody else", async () => {
  const Records = await storeSome();
  await putIf({
    Item: { ...recordKey("INVOICE", 9_001), id: 9_001, company_id: 1, record: { state: "pending", number: "X" } },
  });
  const poison = changeOf("INVOICE", 9_001, 777);
  const strange = { ...changeOf("INVOICE", 9_002, 778), dynamodb: { SequenceNumber: "778" } };
  const batch = [...Records.slice(0, 2), poison, strange, ...Records.slice(2)];
  expect(await handler({ Records: batch })).toEqual({ batchItemFailures: [] });
  expect(await takeMessages("QUARANTINE_QUEUE_URL")).toEqual([
    {
      operation: "test",
      pk: "INVOICE#9001",
      sk: "INVOICE",
      eventId: "event-9001-777",
      sequenceNumber: "777",
      reason: "Error: The record's issued_date is not a calendar date",
    },
    {
      operation: "test",
      pk: "",
      sk: "",
      eventId: "event-9002-778",
      sequenceNumber: "778",
      reason: "Error: The stream record has no id or no key",
    },
  ]);
  const { drifts, uncounted } = await reconcileTotals();
  expect({ drifts, uncounted }).toEqual({ drifts: [], uncounted: [] });
});

test("D41: the history of a poison record that cannot be counted is kept all the same, and what passes gives the batch back first", async () => {
  const key = recordKey("INVOICE", 9_003);
  const item = { id: 9_003, company_id: 12, record: { state: "pending", number: "X" } };
  const poison = streamRecord(key, {
    before: { ...item, revision: 1 },
    after: { ...item, record: { number: "X" }, revision: 2 },
  });
  proxy.fail("BatchWriteItem", failed, 1_000);
  expect((await handler({ Records: [poison] })).batchItemFailures).toHaveLength(1);
  expect(await takeMessages("QUARANTINE_QUEUE_URL")).toEqual([]);
  proxy.reset();
  expect(await handler({ Records: [poison] })).toEqual({ batchItemFailures: [] });
  expect(await takeMessages("QUARANTINE_QUEUE_URL")).toMatchObject([{ pk: "INVOICE#9003" }]);
  const { changes } = await findHistory(questions.ofRecord("invoice", 9_003), { limit: 10, now: new Date(0) });
  expect(changes).toMatchObject([{ before: { state: "pending" } }]);
});

test("where a poison record cannot be quarantined it and all after it go back to the stream", async () => {
  const [first, ...rest] = await storeSome();
  const queue = process.env.QUARANTINE_QUEUE_URL;
  process.env.QUARANTINE_QUEUE_URL = `${queue}-that-is-not-there`;
  try {
    const Records = [first as DynamoDBRecord, changeOf("INVOICE", 9_001, 779), ...rest];
    expect(await handler({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: "779" }] });
  } finally {
    process.env.QUARANTINE_QUEUE_URL = queue;
  }
});
