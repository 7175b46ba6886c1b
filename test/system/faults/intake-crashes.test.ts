import type { SQSEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { handler } from "../../../functions/workers/intake.ts";
import { findUnreadCounts } from "../../../shared/db/notifications/notification-counts.ts";
import { notificationKey } from "../../../shared/db/notifications/notifications.ts";
import type { NotificationMessage } from "../../../shared/messaging/notification-queue.ts";
import { crashEverywhere } from "../../support/faults/crash.ts";
import { notificationLine } from "../../support/records/records.ts";
import { readItem } from "../../support/records/writes.ts";
import { useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";

useService();

/** Hands over one event; answers with how many messages failed. */
async function take(detail: object, type = "Record"): Promise<number> {
  const body = JSON.stringify({ "detail-type": type, source: "rota.example", detail });
  const { batchItemFailures } = await handler({ Records: [{ messageId: "m", body }] } as SQSEvent);
  return batchItemFailures.length;
}

test.each([
  ["created", 0, 1],
  ["read", 1, 0],
  ["removed", 2, 0],
])("D26, D35: killed at any of its calls, a record event is taken in exactly once: %s", async (_, step, unread) => {
  let id = 1_000 * step;
  const calls = await crashEverywhere(async (kill, place) => {
    id += 1;
    const created = { ...notificationLine(id, id), event_id: `${id}-1`, version: 1 };
    const read = { ...created, event_id: `${id}-2`, version: 2, read_at: "2026-05-02T09:00:00.000Z" };
    const removal = { type: "notification", id, user_id: id, event_id: `${id}-3`, version: 3, deleted: true };
    const events = [created, read, removal].slice(0, step + 1);
    for (const event of events.slice(0, -1)) await take(event);
    await kill(() => take(events.at(-1) ?? {}));
    for (const event of [...events, ...events]) expect(await take(event)).toBe(0);
    expect((await findUnreadCounts(id)).notifications, place).toBe(unread);
    const stored = await readItem(notificationKey(id, id));
    expect(stored?.version, place).toBe(step === 2 ? undefined : step + 1);
  });
  expect(calls).toBe(2);
});

test("D25: killed at any of its calls, an event queues every recipient under one id when it comes again", async () => {
  const recipients = Array.from({ length: 1_000 }, (_, at) => at + 1);
  const event = { event_id: "m-1", recipients, record_type: "Chat", record_id: 88, params: { type: "message" } };
  const calls = await crashEverywhere(async (kill, place) => {
    await takeMessages("NOTIFICATION_QUEUE_URL");
    await kill(() => take(event, "Notification"));
    expect(await take(event, "Notification")).toBe(0);
    const queued = (await takeMessages("NOTIFICATION_QUEUE_URL")) as NotificationMessage[];
    expect(new Set(queued.map(({ eventId }) => eventId)).size, place).toBe(1);
    const users = queued.flatMap((message) => ("users" in message.recipients ? message.recipients.users : []));
    expect(new Set(users), place).toEqual(new Set(recipients));
  });
  expect(calls).toBe(1);
});
