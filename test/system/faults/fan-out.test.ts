import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, expect, test } from "vitest";
import { handler } from "../../../functions/workers/deliver-notifications.ts";
import { countsKey } from "../../../shared/db/notifications/notification-counts.ts";
import { crashEverywhere } from "../../support/faults/crash.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";
import { drain, queueEvent, storedNotifications } from "../../support/workers/workers.ts";

const everyone = usualOrFull(250, 10_000);
const thricePerMessage = usualOrFull(120, 400);
const mostMegabytes = 20;
const mostMilliseconds = 10_000;

useService();
let lastUser = 0;

beforeEach(() => takeMessages("NOTIFICATION_QUEUE_URL"));

async function newOperators(company: number, count: number): Promise<number[]> {
  const ids = Array.from({ length: count }, () => ++lastUser);
  for (let at = 0; at < count; at += 500) {
    const some = ids.slice(at, at + 500);
    await store(some.map((id) => userLine(id, { email: null, financial_company_id: company })));
  }
  return ids;
}

function published(eventId: string, company: number) {
  const content = { record_type: "Job", record_id: 7, params: { type: "published" } };
  return { eventId, ...content, recipients: { company, role: "operator" } };
}

/** Each of the users has as many notifications as they should, and counts that equal them. */
async function expectNotified(userIds: readonly number[], times: number): Promise<void> {
  for (let at = 0; at < userIds.length; at += 100) {
    const some = userIds.slice(at, at + 100);
    const stored = await Promise.all(some.map(storedNotifications));
    expect(new Set(stored.map(({ length }) => length))).toEqual(new Set([times]));
    const counts = await Promise.all(some.map((id) => readItem(countsKey(id))));
    for (const each of counts) expect(each).toMatchObject({ total: times, notifications: times, jobs: times });
  }
}

function usedMegabytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

test(`D25: ${everyone} recipients are notified in short calls whose memory does not grow with their number`, async () => {
  const ids = await newOperators(1, everyone);
  const before = usedMegabytes();
  let grown = 0;
  let longest = 0;
  const measured: typeof handler = async (event) => {
    const startedAt = performance.now();
    const answer = await handler(event);
    longest = Math.max(longest, performance.now() - startedAt);
    grown = Math.max(grown, usedMegabytes() - before);
    return answer;
  };
  await measured(queueEvent(published("all", 1)));
  const messages = await drain("NOTIFICATION_QUEUE_URL", measured);
  expect(grown).toBeLessThan(mostMegabytes);
  expect(longest).toBeLessThan(mostMilliseconds);
  expect(Math.max(...messages.map((message) => JSON.stringify(message).length))).toBeLessThan(5_000);
  await expectNotified(ids, 1);
}, 120_000);

test("D25: every message processed three times, side by side, notifies everyone once", async () => {
  const ids = await newOperators(2, thricePerMessage);
  const thrice: typeof handler = async (event) => {
    const [answer] = await Promise.all([handler(event), handler(event), handler(event)]);
    return answer ?? { batchItemFailures: [] };
  };
  await thrice(queueEvent(published("thrice", 2)));
  await drain("NOTIFICATION_QUEUE_URL", thrice);
  await expectNotified(ids, 1);
}, 120_000);

test("D25: killed before and after every call that it makes, it goes on where it stopped; each is notified once", async () => {
  const ids = await newOperators(3, 65);
  let times = 0;
  const crashes = await crashEverywhere(async (kill, place) => {
    times += 1;
    const page = { ...published(place, 3), recipients: { company: 3, role: "operator" } };
    const users = { ...published(place, 3), recipients: { users: ids } };
    await kill(async () => {
      await handler(queueEvent(page));
      await handler(queueEvent(users));
    });
    // What was not acknowledged comes again.
    await handler(queueEvent(page, users));
    await drain("NOTIFICATION_QUEUE_URL", handler);
    await expectNotified(ids, times);
  });
  expect(crashes).toBe(2 * 6);
}, 60_000);
