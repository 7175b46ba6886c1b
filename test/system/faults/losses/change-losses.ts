import { expect, vi } from "vitest";
import { findHistory } from "../../../../functions/changes/find-changes.ts";
import { handler as keepHistory } from "../../../../functions/workers/keep-history.ts";
import { handler as markOverdue } from "../../../../functions/workers/mark-overdue.ts";
import { handler as notify } from "../../../../functions/workers/notify.ts";
import { findOpenKeys, handler as rotate } from "../../../../functions/workers/rotate-signing-key.ts";
import { notificationKey } from "../../../../shared/notifications/notifications.ts";
import { questions } from "../../../../shared/records/history.ts";
import { recordKey } from "../../../../shared/table/table.ts";
import { readSigningKeys } from "../../../../shared/tokens/keys.ts";
import { testChange } from "../../../support/records/contexts.ts";
import { invoiceLine, jobLine, notificationLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { readItem, write } from "../../../support/records/writes.ts";
import { testKeyId } from "../../../support/tokens/tokens.ts";
import { changeAt, changeBy } from "../../../support/workers/events.ts";
import { takeMessages } from "../../../support/workers/queues.ts";
import { type Attempt, type LossPlan, newId, redeliveryMs } from "./scenario.ts";

function scheduled(handler: () => Promise<unknown>): Attempt {
  return () => handler().then(() => true);
}

function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

const day = 86_400_000;

/** The plans of what the stream and schedules bring. */
export const changeLosses = {
  "keep-history": {
    holds: "the history has the change once",
    loses: "BatchWriteItem",
    repeatMs: redeliveryMs,
    prepare: async () => {
      const id = newId();
      await write(invoiceLine(id, 1), { change: testChange("user#7") });
      const key = recordKey("INVOICE", id);
      const record = await changeBy(key, () =>
        write({ type: "invoice", id, total: "7.00" }, { change: testChange("user#7") }),
      );
      return {
        attempt: async () => (await keepHistory({ Records: [record] })).batchItemFailures.length === 0,
        check: async () => {
          const { changes } = await findHistory(questions.ofRecord("invoice", id), { limit: 10, now: new Date() });
          expect(changes).toMatchObject([{ after: { total: "7.00" } }]);
        },
      };
    },
  },
  notify: {
    holds: "the change, the push and the events that go out are queued, and each copy says the same (D25, D29, D42)",
    loses: "SendMessageBatch",
    prepare: async () => {
      for (const queue of ["NOTIFICATION", "PUSH", "EVENT"]) await takeMessages(`${queue}_QUEUE_URL`);
      const id = newId();
      const { type: _, company_id, ...job } = jobLine(id, 3);
      const { type: _type, user_id, ...news } = notificationLine(id, 8);
      const [inTable, now] = [{ id, revision: 1 }, new Date()];
      const Records = [
        changeAt(now, recordKey("JOB", id), { after: { ...inTable, company_id, record: job } }, `event-${id}`),
        changeAt(now, notificationKey(8, id), { after: { ...inTable, user_id, push: true, record: news } }),
      ];
      return {
        attempt: async () => (await notify({ Records })).batchItemFailures.length === 0,
        check: async () => {
          const queued = (await takeMessages("NOTIFICATION_QUEUE_URL")) as { eventId: string }[];
          expect(new Set(queued.map(({ eventId }) => eventId))).toEqual(new Set([`event-${id}`]));
          expect(await takeMessages("PUSH_QUEUE_URL")).toContainEqual({ userId: 8, notificationId: id });
          const out = (await takeMessages("EVENT_QUEUE_URL")) as { events: { id: string; subject: string }[] }[];
          const events = out.flatMap((message) => message.events);
          expect(new Set(events.map(({ subject }) => subject))).toEqual(new Set([`job/${id}`, `notification/${id}`]));
          expect(new Set(events.map((event) => event.id)).size).toBe(2);
        },
      };
    },
  },
  "mark-overdue": {
    holds: "each invoice turns overdue once",
    loses: "TransactWriteItems",
    prepare: async () => {
      const id = newId();
      await store([invoiceLine(id, 1, { state: "pending", due_date: "2020-01-01" })], new Date("2019-12-31T12:00:00Z"));
      const before = Number((await readItem(recordKey("INVOICE", id)))?.revision);
      return {
        attempt: scheduled(markOverdue),
        check: async () => {
          const stored = await readItem(recordKey("INVOICE", id));
          expect(stored).toMatchObject({ revision: before + 1, record: { state: "overdue" } });
        },
      };
    },
  },
  "rotate-signing-key": {
    holds: "one key is added, and it alone goes on being published (D6)",
    loses: "PutSecretValue",
    prepare: async () => {
      pass(31 * day);
      return {
        attempt: scheduled(rotate),
        check: async () => {
          pass(day);
          await rotate();
          const [, newest, ...others] = (await readSigningKeys({ fresh: true })).map(({ jwk }) => jwk.kid);
          const open = (await findOpenKeys()).map(({ kid }) => kid).filter((kid) => kid !== testKeyId);
          expect([open, others]).toEqual([[newest], []]);
        },
      };
    },
  },
} as const satisfies Record<string, LossPlan>;
