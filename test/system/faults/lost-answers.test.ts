import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { handler as registerDevice } from "../../../functions/devices/register-device-token.ts";
import { handler as removeDevice } from "../../../functions/devices/remove-device-token.ts";
import { handler as bulkUpdateTimesheets } from "../../../functions/finance/bulk-update-timesheets.ts";
import { handler as adjustTimers } from "../../../functions/jobs/adjust-job-timers.ts";
import { handler as mark } from "../../../functions/notifications/mark-notifications.ts";
import { handler as refresh } from "../../../functions/sessions/refresh-token.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { handler as signOutHandler } from "../../../functions/sessions/sign-out.ts";
import { handler as deliverNotifications } from "../../../functions/workers/deliver-notifications.ts";
import { handler as deliverPin } from "../../../functions/workers/deliver-pin.ts";
import { handler as intake } from "../../../functions/workers/intake.ts";
import { handler as markOverdue } from "../../../functions/workers/mark-overdue.ts";
import { handler as notify } from "../../../functions/workers/notify.ts";
import { handler as notifyPasswordChanged } from "../../../functions/workers/notify-password-changed.ts";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import { handler as sendPushes } from "../../../functions/workers/send-pushes.ts";
import { handler as updateTotals } from "../../../functions/workers/update-totals.ts";
import { pinIn } from "../../../infra/tools/invoke/message-pin.ts";
import { registerDeviceToken, removeDeviceToken } from "../../../shared/contract/devices.ts";
import { bulkUpdateTimesheets as bulkUpdate } from "../../../shared/contract/finance.ts";
import { adjustJobTimers } from "../../../shared/contract/jobs.ts";
import { markNotifications } from "../../../shared/contract/notifications.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import { refreshToken, signIn, signOut } from "../../../shared/contract/sessions.ts";
import { countList } from "../../../shared/db/lists/totals.ts";
import { findUnreadCounts } from "../../../shared/db/notifications/notification-counts.ts";
import { reconcileUntilStable } from "../../../shared/db/reconcile/stable-reconciliation.ts";
import { recordKey } from "../../../shared/db/table/keys.ts";
import type { HttpHandler } from "../../../shared/http/endpoint.ts";
import { type Loss, losses, useLossyNetwork } from "../../support/faults/lossy-network.ts";
import { invoiceLine, jobLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { call, type TestRequest } from "../../support/requests/call.ts";
import { allowedUser, endpoints } from "../../support/requests/every-operation.ts";
import { newPush, pushedTo, register, tokensOf, usePushService } from "../../support/workers/pushes.ts";
import { takeMessages } from "../../support/workers/queues.ts";
import { queueEvent, storedNotifications, streamRecord } from "../../support/workers/workers.ts";

// Short enough to wait for, long enough for a busy machine.
process.env.CALL_PATIENCE = "0.6";

const service = usePushService();
const network = useLossyNetwork();
const password = "seven quiet harbours";
/** One loss a call, in turn; `LOSSES=all` tries every one. */
const isWhole = process.env.LOSSES === "all";
/** When a queue or the stream brings again what failed. */
const redeliveryMs = 6 * 60_000;

let lastId = 10_000;
const newId = () => {
  lastId += 1;
  return lastId;
};

beforeAll(async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  await rotate();
});
afterEach(() => void network.heal());

/** One try, as a client or a queue makes it: true when it was answered well or processed. */
type Attempt = () => Promise<boolean>;

/** What is set up for one loss: the attempt, which is repeated until it is well, and what must hold then. */
interface Scenario {
  readonly attempt: Attempt;
  readonly check?: () => Promise<void>;
}

/**
 * Loses each call of an attempt, the first, the second and so on, until an attempt has fewer; gives what was lost. Each call
 * is lost in one way, beginning with another for each function, or in every one.
 */
async function loseEverywhere(prepare: () => Promise<Scenario>, repeatMs = 0, turn = 0): Promise<string[]> {
  const lost: string[] = [];
  for (let n = 1; ; n += 1) {
    const sample = losses[(n + turn) % losses.length] ?? "dropped";
    const found = [];
    for (const loss of isWhole ? losses : [sample]) found.push(await loseOne(prepare, n, loss, repeatMs));
    if (found.includes(undefined)) return lost;
    lost.push(...found.map(String));
  }
}

async function loseOne(prepare: () => Promise<Scenario>, n: number, loss: Loss, repeatMs: number) {
  const { attempt, check } = await prepare();
  network.lose(n, loss);
  let isDone = await attempt().catch(() => false);
  const action = network.heal();
  const place = `call ${n}, ${action}, ${loss}`;
  if (action === undefined || loss === "interrupted") {
    const isSentOnce = ["SendEmail", "Publish", "SendMessageBatch", "CreatePlatformEndpoint"].includes(action ?? "");
    if (!isSentOnce) expect(isDone, place).toBe(true);
  }
  for (let repetition = 0; !isDone && repetition < 2; repetition += 1) {
    vi.setSystemTime(Date.now() + repeatMs);
    isDone = await attempt();
  }
  expect(isDone, place).toBe(true);
  await check?.().catch((error: Error) => {
    throw new Error(`${place}: ${error.message}`, { cause: error });
  });
  return action;
}

function request(handler: HttpHandler, operation: Operation, sent: TestRequest): Attempt {
  return async () => (await call(handler, operation, sent)).status === 200;
}

function messages(
  handler: (event: ReturnType<typeof queueEvent>) => Promise<{ batchItemFailures: unknown[] }>,
  ...all: object[]
): Attempt {
  return async () => (await handler(queueEvent(...all))).batchItemFailures.length === 0;
}

function scheduled(handler: () => Promise<void>): Attempt {
  return () => handler().then(() => true);
}

const admin = { id: 1, role: "admin", company_id: null } as const;
const withKey = () => ({ "idempotency-key": crypto.randomUUID() });

describe("a request whose answer is lost at any call, and that the client repeats,", () => {
  const reads = endpoints.filter(
    ({ operation, sample }) => operation.method === "GET" && operation.name !== "confirm-login" && sample,
  );
  test.each(reads)("answers as ever: $name", async ({ operation, handler, sample }) => {
    const sent = { as: allowedUser(operation), ...sample } as TestRequest;
    const { status } = await call(handler, operation, sent);
    await loseEverywhere(async () => ({
      attempt: async () => (await call(handler, operation, sent)).status === status,
    }));
  }, 120_000);

  test("is carried out once and holds no Idempotency-Key: bulk-update-timesheets", async () => {
    const lost = await loseEverywhere(async () => {
      const id = newId();
      await store([timesheetLine(id, 1, { state: "pending" })]);
      const before = Number((await readItem(recordKey("TIMESHEET", id)))?.revision);
      const body = { timesheet: { timesheet_ids: [id], state: "paid" } };
      const sent = { as: admin, body, headers: withKey() };
      return {
        attempt: request(bulkUpdateTimesheets, bulkUpdate, sent),
        check: async () => {
          const stored = await readItem(recordKey("TIMESHEET", id));
          expect(stored).toMatchObject({ revision: before + 1, record: { state: "paid" } });
        },
      };
    });
    expect(lost.length).toBeGreaterThanOrEqual(5);
  }, 120_000);

  test("is carried out once and holds no Idempotency-Key: adjust-job-timers", async () => {
    await loseEverywhere(
      async () => {
        const id = newId();
        await store([jobLine(id, 1)]);
        const before = Number((await readItem(recordKey("JOB", id)))?.revision);
        const sent = { as: admin, body: { job: { job_ids: [id], timer: 600 } }, headers: withKey() };
        return {
          attempt: request(adjustTimers, adjustJobTimers, sent),
          check: async () =>
            expect(await readItem(recordKey("JOB", id))).toMatchObject({ timer: 600, revision: before + 1 }),
        };
      },
      0,
      1,
    );
  }, 120_000);

  test("counts each notification once: mark-notifications", async () => {
    await loseEverywhere(
      async () => {
        const userId = newId();
        const { notificationId } = await newPush(userId);
        await newPush(userId);
        const body = { notification: { notification_ids: [notificationId], read: true } };
        const sent = { as: { id: userId, role: "driver", company_id: 1 } as const, body, headers: withKey() };
        return {
          attempt: request(mark, markNotifications, sent),
          check: async () => expect(await findUnreadCounts(userId)).toMatchObject({ notifications: 1 }),
        };
      },
      0,
      2,
    );
  }, 120_000);

  test("keeps one device: register-device-token, remove-device-token", async () => {
    await loseEverywhere(async () => {
      const id = newId();
      const as = { id, role: "driver", company_id: 1 } as const;
      const body = { notification: { token: `token-${id}`, platform: "fcm", device_id: "d" } };
      return {
        attempt: request(registerDevice, registerDeviceToken, { as, body }),
        check: async () => expect(await tokensOf(id)).toEqual([`token-${id}`]),
      };
    });
    await loseEverywhere(async () => {
      const userId = newId();
      const id = await register(userId, `token-${userId}`);
      const sent = { as: { id: userId, role: "driver", company_id: 1 } as const, parameters: { id: String(id) } };
      return {
        attempt: request(removeDevice, removeDeviceToken, sent),
        check: async () => expect(await tokensOf(userId)).toEqual([]),
      };
    });
  }, 120_000);

  const newUser = async () => {
    const id = newId();
    const email = `user-${id}@example.com`;
    await store([userLine(id, { email, password })]);
    return { id, user: { login: email, password } };
  };
  const tokens = async () => (await call(signInHandler, signIn, { body: await newUser() })).body.token;

  test("signs in: sign-in", async () => {
    await loseEverywhere(async () => {
      const { user } = await newUser();
      return { attempt: request(signInHandler, signIn, { body: { user } }) };
    });
  }, 240_000);

  test("signs nobody out: refresh-token", async () => {
    const lost = await loseEverywhere(async () => {
      const { refresh_token } = await tokens();
      let next = "";
      return {
        attempt: async () => {
          const answer = await call(refresh, refreshToken, { body: { token: { refresh_token } } });
          next = answer.body?.token?.refresh_token;
          return answer.status === 200;
        },
        check: async () => {
          const again = await call(refresh, refreshToken, { body: { token: { refresh_token: next } } });
          expect(again.status).toBe(200);
        },
      };
    });
    expect(lost.join()).toContain("UpdateItem");
  }, 240_000);

  test("ends the session: sign-out", async () => {
    await loseEverywhere(async () => {
      const { access_token, refresh_token } = await tokens();
      const headers = { authorization: `Bearer ${access_token}` };
      return {
        attempt: request(signOutHandler, signOut, { headers }),
        check: async () =>
          expect((await call(refresh, refreshToken, { body: { token: { refresh_token } } })).status).toBe(401),
      };
    });
  }, 240_000);
});

describe("a message whose answer is lost at any call, and that its queue brings again,", () => {
  test("sends at most one pin more, and the same one: deliver-pin", async () => {
    await loseEverywhere(async () => {
      const id = newId();
      const login = `pin-${id}@example.com`;
      await store([userLine(id, { email: login })]);
      service.inbox.clear();
      const requestedAt = new Date();
      const validTo = new Date(requestedAt.getTime() + 15 * 60_000);
      const message = { login, channel: "email", requestId: `request-${id}`, requestedAt, validTo };
      return {
        attempt: messages(deliverPin, message),
        check: async () => {
          const pins = service.inbox.entries().map(({ text }) => pinIn(text));
          expect(pins.length).toBeLessThanOrEqual(2);
          expect(new Set(pins).size).toBe(1);
        },
      };
    }, 2 * 60_000);
  }, 240_000);

  test("notifies of a new password: notify-password-changed", async () => {
    await loseEverywhere(async () => {
      const id = newId();
      await store([userLine(id, { email: `changed-${id}@example.com` })]);
      service.inbox.clear();
      return {
        attempt: messages(notifyPasswordChanged, { userId: id, changedAt: new Date() }),
        check: async () => expect([1, 2]).toContain(service.inbox.entries().length),
      };
    }, redeliveryMs);
  }, 240_000);

  test("stores one notification and counts it once: deliver-notifications", async () => {
    await loseEverywhere(async () => {
      const id = newId();
      await store([userLine(id)]);
      const event = { eventId: `event-${id}`, record_type: "Job", record_id: 1, params: { type: "published" } };
      return {
        attempt: messages(deliverNotifications, { ...event, recipients: { users: [id] } }),
        check: async () => {
          expect(await storedNotifications(id)).toHaveLength(1);
          expect(await findUnreadCounts(id)).toMatchObject({ notifications: 1, jobs: 1 });
        },
      };
    }, redeliveryMs);
  }, 240_000);

  test("pushes, at most once more: send-pushes", async () => {
    await loseEverywhere(async () => {
      const userId = newId();
      await register(userId, `push-${userId}`);
      const push = await newPush(userId);
      service.inbox.clear();
      return {
        attempt: messages(sendPushes, push),
        check: async () => expect([1, 2]).toContain(pushedTo(service).length),
      };
    }, redeliveryMs);
  }, 240_000);

  test("writes the record once: intake", async () => {
    await loseEverywhere(async () => {
      const id = newId();
      const detail = { ...jobLine(id, 1), version: 1, event_id: `event-${id}` };
      const event = { version: "0", id: `event-${id}`, "detail-type": "Record", source: "jobs.example", detail };
      return {
        attempt: messages(intake, event),
        check: async () => expect(await readItem(recordKey("JOB", id))).toMatchObject({ version: 1 }),
      };
    }, redeliveryMs);
  }, 240_000);
});

describe("a change of the table, or a scheduled run, that fails at any call and comes again,", () => {
  test("is counted once: update-totals", async () => {
    await loseEverywhere(async () => {
      const [id, company] = [newId(), newId()];
      await store([jobLine(id, company)]);
      const key = recordKey("JOB", id);
      const record = streamRecord(key, { after: await readItem(key) });
      const selection = { list: "JOBS", scope: company, states: ["published"] } as const;
      return {
        attempt: async () => (await updateTotals({ Records: [record] })).batchItemFailures.length === 0,
        check: async () => void (await countList(selection as never)),
      };
    }, redeliveryMs);
  }, 240_000);

  test("is queued: notify", async () => {
    await loseEverywhere(async () => {
      await takeMessages("NOTIFICATION_QUEUE_URL");
      const id = newId();
      const record = streamRecord(recordKey("JOB", id), { after: { id, company_id: 3 } }, `event-${id}`);
      return {
        attempt: async () => (await notify({ Records: [record] })).batchItemFailures.length === 0,
        check: async () => {
          const queued = (await takeMessages("NOTIFICATION_QUEUE_URL")) as { eventId: string }[];
          expect(new Set(queued.map(({ eventId }) => eventId))).toEqual(new Set([`event-${id}`]));
        },
      };
    });
  }, 240_000);

  test("turns each invoice overdue once: mark-overdue", async () => {
    await loseEverywhere(async () => {
      const id = newId();
      await store([invoiceLine(id, 1, { state: "pending", due_date: "2020-01-01" })]);
      const before = Number((await readItem(recordKey("INVOICE", id)))?.revision);
      return {
        attempt: scheduled(markOverdue),
        check: async () =>
          expect(await readItem(recordKey("INVOICE", id))).toMatchObject({
            revision: before + 1,
            record: { state: "overdue" },
          }),
      };
    });
  }, 240_000);

  test("ends: reconcile-totals", async () => {
    await loseEverywhere(async () => ({
      attempt: () => reconcileUntilStable({ isConsistent: false, pauseMs: 0, maxRounds: 1 }).then(() => true),
    }));
  }, 240_000);
});
