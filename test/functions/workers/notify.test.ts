import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handler } from "../../../functions/workers/notify.ts";
import { notificationKey } from "../../../shared/notifications/notifications.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { timesheetLine } from "../../support/records/records.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useEventQueue, useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";
import { nothingFailed, streamRecord } from "../../support/workers/workers.ts";

useService();
const queue = useNetwork();

beforeEach(async () => {
  await Promise.all(
    ["NOTIFICATION_QUEUE_URL", "NOTICE_QUEUE_URL", "PUSH_QUEUE_URL", "QUARANTINE_QUEUE_URL"].map(takeMessages),
  );
  queue.reset();
});

afterEach(() => void vi.unstubAllEnvs());

function newJob(id: number, beside: object = {}) {
  return streamRecord(recordKey("JOB", id), { after: { id, company_id: 3, ...beside } }, `event-${id}`);
}

function newNotification(id: number) {
  return streamRecord(notificationKey(8, id), { after: { id, user_id: 8, push: true, record: {} } });
}

function newInvoice(id: number) {
  const after = { id, company_id: 3, changed_by: 9, record: { state: "paid" } };
  return streamRecord(recordKey("INVOICE", id), { after }, `event-${id}`);
}

const jobMessage = (id: number) => ({
  eventId: `event-${id}`,
  record_type: "Job",
  record_id: id,
  params: { type: "published" },
  recipients: { company: 3, role: "operator" },
});

async function queuedIds(): Promise<number[]> {
  const messages = (await takeMessages("NOTIFICATION_QUEUE_URL")) as { record_id: number }[];
  return messages.map(({ record_id }) => record_id).sort((a, b) => a - b);
}

describe("D25: a change of a record", () => {
  test("becomes a message that names event, record, recipients and author, one for each rule", async () => {
    expect(await handler({ Records: [newJob(1), newInvoice(2)] })).toEqual(nothingFailed);
    const about = { record_type: "Invoice", record_id: 2, params: { type: "paid" }, state: "paid" };
    const paid = { eventId: "event-2", ...about, actorId: 9 };
    expect(await takeMessages("NOTIFICATION_QUEUE_URL")).toEqual([
      jobMessage(1),
      { ...paid, recipients: { company: 3, role: "operator" } },
      { ...paid, recipients: { company: 3, role: "client" } },
    ]);
    expect(await takeMessages("PUSH_QUEUE_URL")).toEqual([]);
  });

  test("that is malformed is quarantined, and blocks none of the others", async () => {
    const poison = streamRecord(recordKey("JOB", 2), { after: { id: 2, title: "Night driver" } }, "event-2");
    expect(await handler({ Records: [newJob(1), poison, newJob(3)] })).toEqual(nothingFailed);
    expect(await queuedIds()).toEqual([1, 3]);
    const aside = await takeMessages("QUARANTINE_QUEUE_URL");
    expect(aside).toMatchObject([
      { pk: "JOB#2", sk: "JOB", eventId: "event-2", reason: expect.stringContaining("malformed") },
    ]);
    expect(JSON.stringify(aside)).not.toContain("Night driver");
  });

  test("is one of 100 in a batch: ten messages travel in a call", async () => {
    const ids = Array.from({ length: 100 }, (_, at) => at + 1);
    expect(await handler({ Records: ids.map((id) => newJob(id)) })).toEqual(nothingFailed);
    expect(queue.calls.get("SendMessageBatch")).toBe(10);
    expect(await queuedIds()).toEqual(ids);
  });
});

describe("D14: a new password", () => {
  const key = recordKey("USER", 8);
  const user = { id: 8, record: {} };
  const newPassword = { ...user, password_changed_at: "2026-05-01T09:00:00.000Z" };

  test("becomes a notice to its user by every channel, however often the change comes", async () => {
    const Records = [streamRecord(key, { before: user, after: newPassword }, "event-8")];
    expect(await handler({ Records })).toEqual(nothingFailed);
    expect(await handler({ Records })).toEqual(nothingFailed);
    const notice = { userId: 8, changedAt: "2026-05-01T09:00:00.000Z", endedKeys: 0 };
    expect(await takeMessages("NOTICE_QUEUE_URL")).toEqual([notice, notice]);
  });
});

describe("D29: a new notification", () => {
  test("becomes none where the stage names no platform application", async () => {
    vi.stubEnv("PLATFORM_APPLICATIONS", "{}");
    expect(await handler({ Records: [newNotification(12), newJob(1)] })).toEqual(nothingFailed);
    expect(await takeMessages("PUSH_QUEUE_URL")).toEqual([]);
    expect(await queuedIds()).toEqual([1]);
  });
});

describe("a queue that", () => {
  const refused = (SenderFault: boolean) => ({
    status: 200,
    body: { Successful: [], Failed: [{ Id: "0", Code: "InternalError", SenderFault }] },
  });

  test("fails some messages of a batch is sent those again", async () => {
    queue.fail("SendMessageBatch", refused(false), 2);
    expect(await handler({ Records: [newJob(1)] })).toEqual(nothingFailed);
    expect(queue.calls.get("SendMessageBatch")).toBe(3);
    expect(await queuedIds()).toEqual([1]);
  });

  test("keeps failing gets the batch again from the stream, and nothing is quarantined", async () => {
    queue.fail("SendMessageBatch", refused(false), Number.POSITIVE_INFINITY);
    const record = newJob(1);
    const itemIdentifier = record.dynamodb?.SequenceNumber;
    expect(await handler({ Records: [record] })).toEqual({ batchItemFailures: [{ itemIdentifier }] });
    expect(await takeMessages("QUARANTINE_QUEUE_URL")).toEqual([]);
  });

  test("takes one message under no circumstances has that change quarantined, and gets the others", async () => {
    queue.fail("SendMessageBatch", refused(true), 2);
    expect(await handler({ Records: [newJob(1), newJob(2)] })).toEqual(nothingFailed);
    expect(await queuedIds()).toEqual([2]);
    expect(await takeMessages("QUARANTINE_QUEUE_URL")).toMatchObject([{ pk: "JOB#1" }]);
  });
});

describe("D42: events for other systems", () => {
  const paid = (id: number, beside: object = {}) => {
    const { type: _, company_id, ...record } = timesheetLine(id, 3, { state: "paid", ...beside });
    return streamRecord(recordKey("TIMESHEET", id), { after: { id, company_id, revision: 1, record } }, `event-${id}`);
  };
  type Queued = { events: { subject: string }[]; requestId?: string };
  const subjects = async () =>
    ((await takeMessages("EVENT_QUEUE_URL")) as Queued[]).map(({ events }) => events.map(({ subject }) => subject));

  useEventQueue();
  beforeEach(async () => void (await takeMessages("EVENT_QUEUE_URL")));

  test("are queued, ten in a message, those of a request together", async () => {
    const withRequest = (id: number, request: string) => {
      const record = paid(id);
      const image = { ...record.dynamodb?.NewImage, change: { M: { request: { S: request } } } };
      return { ...record, dynamodb: { ...record.dynamodb, NewImage: image } };
    };
    const records = Array.from({ length: 12 }, (_, at) => withRequest(at + 1, "one"));
    loggedLines.length = 0;
    expect(await handler({ Records: [...records, withRequest(20, "other")] })).toEqual(nothingFailed);
    const messages = (await takeMessages("EVENT_QUEUE_URL")) as Queued[];
    expect(messages.map(({ requestId, events }) => [requestId, events.length])).toEqual([
      ["one", 10],
      ["one", 2],
      ["other", 1],
    ]);
    await handler({ Records: records });
    const logged = loggedLines.map((line) => JSON.parse(line));
    expect(logged).toMatchObject([{ request_ids: ["one", "other"] }, { request_id: "one" }]);
  });

  test("that cannot be queued keep from nobody what they are notified of, which was queued before", async () => {
    vi.stubEnv("EVENT_QUEUE_URL", `${process.env.EVENT_QUEUE_URL}-that-is-gone`);
    const created_at = "2026-05-04T16:00:00.000Z";
    const record = { record_type: "Job", record_id: 1, params: { type: "published" }, created_at };
    const after = { id: 12, user_id: 8, push: true, revision: 1, record };
    const Records = [paid(1), paid(2), streamRecord(notificationKey(8, 12), { after })];
    const itemIdentifier = Records[0]?.dynamodb?.SequenceNumber;
    expect(await handler({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier }] });
    expect(await queuedIds()).toEqual([1, 2]);
    expect(await takeMessages("PUSH_QUEUE_URL")).toEqual([{ userId: 8, notificationId: 12 }]);
    expect(await takeMessages("QUARANTINE_QUEUE_URL")).toEqual([]);
  });

  test("that cannot be made of a change are quarantined alone: its users are notified once, and other events go out", async () => {
    const Records = [paid(1), paid(2, { total: "much" }), paid(3)];
    expect(await handler({ Records })).toEqual(nothingFailed);
    expect(await queuedIds()).toEqual([1, 2, 3]);
    expect(await subjects()).toEqual([["timesheet/1", "timesheet/3"]]);
    const aside = await takeMessages("QUARANTINE_QUEUE_URL");
    expect(aside).toMatchObject([
      { pk: "TIMESHEET#2", sk: "TIMESHEET", eventId: "event-2", sequenceNumber: expect.stringMatching(/./) },
    ]);
    expect(JSON.stringify(aside)).not.toContain("much");
  });

  test("are made by no stage that sends none", async () => {
    vi.stubEnv("EVENT_QUEUE_URL", "");
    expect(await handler({ Records: [paid(1)] })).toEqual(nothingFailed);
    expect(await queuedIds()).toEqual([1]);
    vi.unstubAllEnvs();
    expect(await subjects()).toEqual([]);
  });
});
