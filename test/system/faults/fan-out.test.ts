import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { SQSEvent } from "aws-lambda";
import { beforeEach, expect, test } from "vitest";
import { handler } from "../../../functions/workers/deliver-notifications.ts";
import { companyUserMark, userKey } from "../../../shared/db/accounts/users.ts";
import { countsKey } from "../../../shared/db/notifications/notification-counts.ts";
import { readBatch } from "../../../shared/db/table/batch-reads.ts";
import { putItems } from "../../support/records/items.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";
import { drain, queueEvent, storedNotifications } from "../../support/workers/workers.ts";
import { crashAt, crashEverywhere } from "./crash.ts";

const everyone = usualFreshOrFull(70, 200, 100_000);
const mostMegabytes = 20;
const mostMilliseconds = 10_000;
/** Of the calls for everyone one in so many is killed, at another place each time: all its messages come again. */
const callsPerKill = 15;

useService();
let lastUser = 0;

beforeEach(() => takeMessages("NOTIFICATION_QUEUE_URL"));

async function newOperators(company: number, count: number): Promise<number[]> {
  const ids = Array.from({ length: count }, () => ++lastUser);
  const [first = 0, ...others] = ids;
  await store([userLine(first, { email: null, financial_company_id: company })]);
  const item = await readItem(userKey(first));
  const place = (id: number) => ({ ...userKey(id), id, ...companyUserMark(company, "operator", id) });
  await putItems(others.map((id) => ({ ...item, ...place(id) })));
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
    await expectCounted(some, times);
  }
}

async function expectCounted(userIds: readonly number[], times: number): Promise<void> {
  const counts = await readBatch(userIds.map(countsKey));
  for (const each of counts) expect(each).toMatchObject({ total: times, notifications: times, jobs: times });
}

/**
 * Kills a call at another place for each count; its queue knows nothing of what it did. The message that continues is not
 * in it: one that comes again doubles those behind it, and has its kills in the last test.
 */
function killed({ Records }: SQSEvent, count: number): Promise<boolean> {
  const deliveries = Records.filter(({ body }) => "users" in JSON.parse(body).recipients);
  const place = 2 + (count % 10);
  return crashAt(place, count % 2 === 0 ? "after" : "before", () => handler({ Records: deliveries }));
}

function usedMegabytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

test(`D25: ${everyone} recipients are notified once each, in short calls whose memory does not grow with their number, though some are killed`, async () => {
  const ids = await newOperators(1, everyone);
  const before = usedMegabytes();
  let grown = 0;
  let longest = 0;
  let calls = 0;
  let kills = 0;
  const measured: typeof handler = async (event) => {
    calls += 1;
    if (calls % callsPerKill === 2) {
      kills += (await killed(event, calls)) ? 1 : 0;
      return { batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    }
    const startedAt = performance.now();
    const answer = await handler(event);
    longest = Math.max(longest, performance.now() - startedAt);
    grown = Math.max(grown, usedMegabytes() - before);
    return answer;
  };
  await measured(queueEvent(published("all", 1)));
  const messages = await drain("NOTIFICATION_QUEUE_URL", measured);
  if (process.env.SHOW_FIGURES) console.error(`fan-out: ${JSON.stringify({ everyone, calls, kills, longest, grown })}`);
  expect(kills).toBeGreaterThanOrEqual(Math.floor(calls / callsPerKill));
  expect(grown).toBeLessThan(mostMegabytes);
  expect(longest).toBeLessThan(mostMilliseconds);
  expect(Math.max(...messages.map((message) => JSON.stringify(message).length))).toBeLessThan(5_000);
  await expectNotified(ids, 1);
}, 1_200_000);

test("D25: killed at every call that it makes, it goes on where it stopped; each is notified once", async () => {
  const ids = await newOperators(3, 65);
  let times = 0;
  const calls = await crashEverywhere(async (kill, place) => {
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
    await expectCounted(ids, times);
  });
  await expectNotified(ids, times);
  expect(calls).toBe(6);
}, 60_000);
