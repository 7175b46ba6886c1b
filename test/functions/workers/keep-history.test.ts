import type { DynamoDBRecord } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findHistory } from "../../../functions/changes/find-changes.ts";
import { handler } from "../../../functions/workers/keep-history.ts";
import { keepHistory } from "../../../functions/workers/write-history.ts";
import { questions } from "../../../shared/records/history.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { type Fault, useNetwork } from "../../support/faults/network.ts";
import { logChange } from "../../support/records/change-log.ts";
import { userLine } from "../../support/records/records.ts";
import { write } from "../../support/records/writes.ts";
import { countedMetrics, loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { changeAt } from "../../support/workers/events.ts";
import { takeMessages } from "../../support/workers/queues.ts";

useService();
const proxy = useNetwork();
const start = { limit: 10, now: new Date() };
let nextId = 1_000;

beforeEach(() => proxy.reset());
afterEach(() => void vi.unstubAllEnvs());

const throttled: Fault = {
  status: 400,
  body: { __type: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException", message: "Slow down" },
};
const failed: Fault = { status: 500, body: { __type: "InternalServerError", message: "Internal error" } };

/** A record of the stream without a key. */
function strangeRecord(eventID: string, SequenceNumber: string): DynamoDBRecord {
  return { eventID, eventName: "MODIFY", eventSource: "aws:dynamodb", dynamodb: { SequenceNumber } };
}

/** The stream's records of changes of so many invoices by a user, and their ids. */
function changeSome(count: number): { readonly ids: number[]; readonly Records: DynamoDBRecord[] } {
  const ids = Array.from({ length: count }, (_, at) => nextId + at);
  nextId += count;
  const image = (id: number, total: string, revision: number) => ({
    ...recordKey("INVOICE", id),
    id,
    company_id: 9,
    record: { state: "paid", number: "1", issued_date: "2026-05-01", total },
    revision,
    change: { id: `c-${revision}`, by: "user#7", operation: "test", at: "2026-05-10T12:00:00.000Z" },
  });
  const Records = ids.map((id) => {
    const images = { before: image(id, "1.00", 3), after: image(id, "2.00", 4) };
    const record = changeAt(new Date(), recordKey("INVOICE", id), images);
    return { ...record, dynamodb: { ...record.dynamodb, SequenceNumber: String(id) } };
  });
  return { ids, Records };
}

async function expectKept(ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const { changes } = await findHistory(questions.ofRecord("invoice", id), start);
    expect(changes, `${id}`).toMatchObject([{ before: { total: "1.00" }, after: { total: "2.00" } }]);
  }
}

test("D41: what a removed user's changes held is gone, also where they are kept together with the removal", async () => {
  const id = 77_001;
  const log = (line: object) => logChange(recordKey("USER", id), () => write(line));
  const changes = [await log(userLine(id, { first_name: "Ada" })), await log({ ...userLine(id), first_name: "Bea" })];
  await keepHistory([...changes, await log({ type: "user", id, deleted: true })].flat());
  const { changes: kept } = await findHistory(questions.ofRecord("user", id), start);
  expect(kept.map(({ did }) => did)).toEqual(["removed", "updated", "created"]);
  expect(JSON.stringify(kept)).not.toMatch(/Ada|Bea/);
});

describe("faults that pass", () => {
  test.each<[string, Fault]>([
    ["throttled writes", throttled],
    ["failing writes", failed],
  ])("%s are tried again at once", async (_, fault) => {
    const { ids, Records } = changeSome(4);
    proxy.fail("BatchWriteItem", fault, 2);
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
    await expectKept(ids);
  });

  test("where writes keep failing the whole batch goes back to the stream, and nothing is quarantined", async () => {
    const { ids, Records } = changeSome(4);
    proxy.fail("BatchWriteItem", failed, 1_000);
    expect(await handler({ Records })).toEqual({
      batchItemFailures: [{ itemIdentifier: Records[0]?.dynamodb?.SequenceNumber }],
    });
    expect(await takeMessages("QUARANTINE_QUEUE_URL")).toEqual([]);
    proxy.reset();
    await handler({ Records });
    await expectKept(ids);
  });
});

test("a change that cannot be read is quarantined with its sequence number and reason, and blocks no other", async () => {
  const { ids, Records } = changeSome(4);
  const strange = strangeRecord("event-9002", "778");
  const batch = [...Records.slice(0, 2), strange, ...Records.slice(2)];
  expect(await handler({ Records: batch })).toEqual({ batchItemFailures: [] });
  const reason = "Error: The stream record has no id or no key";
  expect(await takeMessages("QUARANTINE_QUEUE_URL")).toEqual([
    { operation: "test", pk: "", sk: "", eventId: "event-9002", sequenceNumber: "778", reason },
  ]);
  expect(JSON.parse(loggedLines.at(-1) ?? "")).toMatchObject({ message: "processed", records: 5 });
  await expectKept(ids);
});

test.each([
  { hash: "canary" },
  { hash: { canary: 1 } },
  { hash: { N: "48213900000000000000.5" } },
])("an image that is none of a table is quarantined, and nothing repeats it: %j", async (NewImage) => {
  loggedLines.length = 0;
  const { ids, Records } = changeSome(1);
  const [record] = changeSome(1).Records;
  const damaged = { ...record, dynamodb: { ...record?.dynamodb, NewImage: NewImage as never } } as DynamoDBRecord;
  expect(await handler({ Records: [damaged, ...Records] })).toEqual({ batchItemFailures: [] });
  const reason = "Error: The stream record has an image that cannot be read";
  expect(await takeMessages("QUARANTINE_QUEUE_URL")).toMatchObject([{ reason }]);
  expect(loggedLines.join("")).not.toMatch(/canary|48213/);
  await expectKept(ids);
});

test("a change that the table refuses is quarantined without the table's words, which may quote it", async () => {
  proxy.fail("BatchWriteItem", { status: 400, body: { __type: "ValidationException", message: "Invoice 1" } }, 2);
  expect(await handler({ Records: changeSome(1).Records })).toEqual({ batchItemFailures: [] });
  expect(await takeMessages("QUARANTINE_QUEUE_URL")).toMatchObject([{ reason: "ValidationException" }]);
});

test("a change behind such a one whose writes keep failing goes back to the stream, and is not quarantined", async () => {
  const { ids, Records } = changeSome(2);
  const strange = strangeRecord("event-9004", "780");
  proxy.fail("BatchWriteItem", failed, 1_000);
  loggedLines.length = 0;
  expect(await handler({ Records: [strange, ...Records] })).toEqual({
    batchItemFailures: [{ itemIdentifier: Records[0]?.dynamodb?.SequenceNumber }],
  });
  expect(countedMetrics()).toEqual([{ StreamRecordsQuarantined: 1 }]);
  expect(loggedLines.filter((line) => line.includes('"message":"fault"'))).toHaveLength(2);
  expect(loggedLines.join("")).not.toContain('"processed"');
  expect(await takeMessages("QUARANTINE_QUEUE_URL")).toMatchObject([{ eventId: "event-9004" }]);
  proxy.reset();
  await handler({ Records });
  await expectKept(ids);
});

test("where such a change cannot be quarantined it and all after it go back to the stream", async () => {
  const [first, ...rest] = changeSome(4).Records;
  vi.stubEnv("QUARANTINE_QUEUE_URL", `${process.env.QUARANTINE_QUEUE_URL}-that-is-not-there`);
  const strange = strangeRecord("event-9003", "779");
  const Records = [first as DynamoDBRecord, strange, ...rest];
  expect(await handler({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: "779" }] });
});
