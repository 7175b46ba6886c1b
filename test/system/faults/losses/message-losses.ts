import { SetEndpointAttributesCommand } from "@aws-sdk/client-sns";
import { expect } from "vitest";
import { handler as deliverNotifications } from "../../../../functions/workers/deliver-notifications.ts";
import { handler as deliverPin } from "../../../../functions/workers/deliver-pin.ts";
import { handler as intake } from "../../../../functions/workers/intake.ts";
import { handler as notifyPasswordChanged } from "../../../../functions/workers/notify-password-changed.ts";
import { handler as refreshTotals } from "../../../../functions/workers/refresh-totals.ts";
import { handler as sendEvents } from "../../../../functions/workers/send-events.ts";
import { handler as sendPushes } from "../../../../functions/workers/send-pushes.ts";
import { pinIn } from "../../../../infra/local/message-pin.ts";
import { findUnreadCounts, notificationKey } from "../../../../shared/notifications/notifications.ts";
import { snapshotKey } from "../../../../shared/records/snapshots.ts";
import { counterWrites } from "../../../../shared/table/counters.ts";
import { transact } from "../../../../shared/table/writes.ts";
import { notificationLine, userLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { readItem } from "../../../support/records/writes.ts";
import { tryPin } from "../../../support/requests/accounts.ts";
import { pinMessage } from "../../../support/requests/pins.ts";
import { eventOut } from "../../../support/workers/events.ts";
import {
  endpointOf,
  newPush,
  type PushingService,
  pushedTo,
  register,
  tokensOf,
} from "../../../support/workers/pushes.ts";
import { takeMessages } from "../../../support/workers/queues.ts";
import { drain, queueEvent, storedNotifications } from "../../../support/workers/workers.ts";
import { type LossPlan, messages, newId, redeliveryMs, type Scenario } from "./scenario.ts";

type Worker = Parameters<typeof messages>[0];

/** The content of a notification of a job. */
const content = { record_type: "Job", record_id: 1, params: { type: "published" } };

/** The plans of what queues bring. `publications` are the contents of the pushes so far. */
export function messageLosses(service: PushingService, publications: string[]) {
  const perhapsAgain = (count: number) => {
    expect(count).toBeGreaterThanOrEqual(1);
    expect(count).toBeLessThanOrEqual(2);
  };

  async function preparePin(registers: boolean): Promise<Scenario> {
    const id = newId();
    const login = `pin-${id}@example.com`;
    if (!registers) await store([userLine(id, { email: login })]);
    service.inbox.clear();
    // The repeats may come after midnight.
    const days = [0, 86_400_000].map((ms) => new Date(Date.now() + ms).toISOString().slice(0, 10));
    const counted = async () => {
      const keys = days.map((day) => ({ pk: "LIMIT#email", sk: `${day}T00:00:00.000Z` }));
      const counts = await Promise.all(keys.map(readItem));
      return counts.reduce((sum, count) => sum + Number(count?.n ?? 0), 0);
    };
    const countedBefore = await counted();
    return {
      attempt: messages(deliverPin, pinMessage(login, { registers })),
      check: async () => {
        const pins = service.inbox.entries().map(({ text }) => pinIn(text));
        perhapsAgain(pins.length);
        perhapsAgain((await counted()) - countedBefore);
        expect(new Set(pins).size).toBe(1);
        expect((await tryPin(login, pins[0] ?? "")).status).toBe(200);
      },
    };
  }

  /** So many operators of a company are to be notified once each. */
  async function prepareNotified(
    count: number,
    messageTo: (ids: number[], company: number) => [Worker, object],
  ): Promise<Scenario> {
    const [company, ids] = [newId(), Array.from({ length: count }, newId)];
    await store(ids.map((id) => userLine(id, { email: null, financial_company_id: company })));
    await takeMessages("NOTIFICATION_QUEUE_URL");
    return {
      attempt: messages(...messageTo(ids, company)),
      check: async () => {
        await drain("NOTIFICATION_QUEUE_URL", deliverNotifications);
        const found = ids.map((id) => Promise.all([storedNotifications(id), findUnreadCounts(id)]));
        for (const each of await Promise.all(found)) {
          expect(each).toMatchObject([[expect.anything()], { notifications: 1, jobs: 1 }]);
        }
      },
    };
  }

  const asking = (recipients: object) => ({ eventId: `event-${newId()}`, ...content, recipients });

  return {
    "deliver-pin": {
      holds: "at most one message more is sent, with the same pin (D9)",
      loses: "SendEmail",
      repeatMs: 2 * 60_000,
      prepare: () => preparePin(false),
    },
    "deliver-pin of a registration": {
      holds: "at most one message more is sent, with the same pin, which makes the user (D9, D16)",
      loses: "SendEmail",
      repeatMs: 2 * 60_000,
      prepare: () => preparePin(true),
    },
    "notify-password-changed": {
      holds: "the user is notified by every channel, at most once more (D14)",
      loses: "SendEmail",
      repeatMs: redeliveryMs,
      prepare: async () => {
        const id = newId();
        const phone_number = `+4475${String(id).padStart(8, "0")}`;
        await store([userLine(id, { email: `changed-${id}@example.com`, phone_number })]);
        service.inbox.clear();
        return {
          attempt: messages(notifyPasswordChanged, { userId: id, changedAt: new Date() }),
          check: async () => {
            const channels = service.inbox.entries().map(({ channel }) => channel);
            perhapsAgain(channels.filter((channel) => channel === "email").length);
            perhapsAgain(channels.filter((channel) => channel === "sms").length);
          },
        };
      },
    },
    // One user more than a transaction notifies.
    "deliver-notifications": {
      holds: "one notification of each user is stored and counted (D25, D26)",
      loses: "TransactWriteItems",
      repeatMs: redeliveryMs,
      prepare: () => prepareNotified(31, (users) => [deliverNotifications, asking({ users })]),
    },
    "deliver-notifications to a company": {
      holds: "each of its users is notified once (D25)",
      loses: "SendMessageBatch",
      repeatMs: redeliveryMs,
      prepare: () => prepareNotified(2, (_, company) => [deliverNotifications, asking({ company, role: "operator" })]),
    },
    "send-pushes": {
      holds: "a device gets the push, at most once more and with the same collapse id, and a stale one goes (D29)",
      loses: "Publish",
      repeatMs: redeliveryMs,
      prepare: async () => {
        const userId = newId();
        const [fresh, stale] = [`fresh-${userId}`, `stale-${userId}`];
        await register(userId, stale);
        await sendPushes(queueEvent(await newPush(userId)));
        const EndpointArn = await endpointOf(userId, stale);
        await service.sns.send(new SetEndpointAttributesCommand({ EndpointArn, Attributes: { Enabled: "false" } }));
        await register(userId, fresh);
        const push = await newPush(userId);
        service.inbox.clear();
        publications.length = 0;
        return {
          attempt: messages(sendPushes, push),
          check: async () => {
            perhapsAgain(pushedTo(service).length);
            expect(new Set(pushedTo(service))).toEqual(new Set([fresh]));
            expect(await tokensOf(userId)).toEqual([fresh]);
            expect(new Set(publications).size).toBe(1);
            expect(publications[0]).toContain(`\\"collapse_key\\":\\"${push.notificationId}\\"`);
          },
        };
      },
    },
    "send-pushes to a device that failed": {
      holds: "the device that was served before gets no further push (D29)",
      loses: "Publish",
      repeatMs: redeliveryMs,
      prepare: async () => {
        const userId = newId();
        const tokens = [`one-${userId}`, `other-${userId}`];
        for (const token of tokens) await register(userId, token);
        const attempt = messages(sendPushes, await newPush(userId));
        service.inbox.clear();
        service.endpoints.failNext("Publish", "PlatformApplicationDisabled", 1);
        expect(await attempt()).toBe(false);
        const served = pushedTo(service);
        expect(served).toHaveLength(1);
        return {
          attempt,
          check: async () => {
            const since = pushedTo(service);
            expect(new Set(since)).toEqual(new Set(tokens));
            expect(since.filter((token) => served.includes(token))).toEqual(served);
            perhapsAgain(since.length - served.length);
          },
        };
      },
    },
    "send-events": {
      holds: "the event is on the bus, again only with the same id (D42)",
      loses: "PutEvents",
      repeatMs: redeliveryMs,
      prepare: async () => {
        const event = eventOut(newId());
        return {
          attempt: messages(sendEvents, { events: [event] }),
          check: async () => {
            const sent = service.buses.past("outbound").map(({ detail }) => detail as typeof event);
            perhapsAgain(sent.filter(({ subject, id }) => subject === event.subject && id === event.id).length);
          },
        };
      },
    },
    "refresh-totals": {
      holds: "the snapshot has the sums, and is free for the next reading (D30)",
      loses: "UpdateItem",
      repeatMs: redeliveryMs,
      prepare: async () => {
        const [id, day] = [newId(), 86_400_000];
        const month = new Date(day * 31 * id).toISOString().slice(0, "yyyy-mm".length);
        const count = { list: "TIMESHEETS", companyId: id, month, figures: new Map([["05p", 3]]) } as const;
        await transact(counterWrites([count], 0));
        return {
          attempt: messages(refreshTotals, { list: "TIMESHEETS", month }),
          check: async () => {
            const { figures, held_until } = (await readItem(snapshotKey("TIMESHEETS", month))) ?? {};
            expect({ figures, held_until }).toEqual({ figures: { "05p": 3 }, held_until: undefined });
          },
        };
      },
    },
    intake: {
      holds: "the record is written and counted once (D26, D35)",
      loses: "TransactWriteItems",
      repeatMs: redeliveryMs,
      prepare: async () => {
        const id = newId();
        await store([notificationLine(id, id, { version: 1 }), notificationLine(id + 500_000, id)]);
        const before = Number((await readItem(notificationKey(id, id)))?.revision);
        const read = { type: "notification", id, user_id: id, read_at: "2026-05-02T09:00:00.000Z" };
        const detail = { ...read, version: 2, event_id: `event-${id}` };
        return {
          attempt: messages(intake, eventOf("Record", detail)),
          check: async () => {
            expect(await readItem(notificationKey(id, id))).toMatchObject({ version: 2, revision: before + 1 });
            expect(await findUnreadCounts(id)).toMatchObject({ notifications: 1 });
          },
        };
      },
    },
    "intake of a notification": {
      holds: "each recipient is notified once (D25, D35)",
      loses: "SendMessageBatch",
      repeatMs: redeliveryMs,
      prepare: () =>
        prepareNotified(2, (recipients) => {
          const detail = { ...content, event_id: `asked-${newId()}`, recipients };
          return [intake, eventOf("Notification", detail)];
        }),
    },
  } as const satisfies Record<string, LossPlan>;
}

function eventOf(type: "Record" | "Notification", detail: { readonly event_id: string }): object {
  return { version: "0", id: detail.event_id, "detail-type": type, source: "jobs.example", detail };
}
