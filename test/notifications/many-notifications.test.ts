import { expect, test } from "vitest";
import { markReadUpTo } from "../../functions/notifications/mark-notifications.ts";
import { deliverNotification } from "../../functions/workers/notification-delivery.ts";
import { findNotifications, findUnreadCounts } from "../../shared/notifications/notifications.ts";
import type { Item } from "../../shared/table/table.ts";
import { driverContext, testContext } from "../support/records/contexts.ts";
import { type Cost, costOf } from "../support/records/costs.ts";
import { usualOrFull } from "../support/service/counts.ts";
import { useService } from "../support/service/service.ts";
import { storedNotifications } from "../support/workers/workers.ts";
import { firstOfMany, putNotifications } from "./many-notifications.ts";

const few = 1_000;
const many = usualOrFull(1_100, 100_000);
const marked = usualOrFull(495, 10_000);
const asked = 10_000;
const mostSeconds = 20;
const mostTogether = 99;
/** A page of the index is read beside a transaction, and costs a round trip where that takes less time. */
const idsPerPage = 10 * mostTogether;
/** The units that one partition of a table takes in a second, and keeps at least when it is idle; a user's notifications are in one. */
const partitionUnits = 1_000;
/** The most seconds that a transaction of 100 writes takes, with the way to the table. */
const secondsPerTrip = 0.15;

useService();

function say(what: string, figures: object): void {
  if (process.env.SHOW_FIGURES) console.error(`${what}: ${JSON.stringify(figures)}`);
}

/** The costs of each way to read a user's notifications. */
async function costsOfLists(userId: number): Promise<Record<string, Cost>> {
  const page = (skip: number, limit: number, beforeId?: number) =>
    costOf(() => findNotifications(userId, { limit, beforeId, skip }));
  return {
    "first page": await page(0, 20),
    "a page by cursor": await page(0, 20, firstOfMany + few / 2),
    "the deepest page by number": await page(900 - 1, 100),
    "unread counts": await costOf(() => findUnreadCounts(userId)),
  };
}

test(`lists of a user with ${many} notifications cost what those of one with ${few} do`, async () => {
  await putNotifications(1, few);
  await putNotifications(2, many);
  const [small, large] = [await costsOfLists(1), await costsOfLists(2)];
  say(`lists of ${few} and ${many}`, { small, large });
  expect(large).toEqual(small);
  expect(large["first page"]?.readUnits).toBeLessThanOrEqual(2);
}, 600_000);

/** The seconds that marking so many notifications takes on AWS: by the units of its partition, or by its round trips. */
function secondsOnAws({ writeUnits, sequentialTrips }: Cost): { byUnits: number; byTrips: number } {
  // The index is a partition of its own, of 1 unit a notification.
  const ofTable = ((writeUnits - marked) / marked) * asked;
  return {
    byUnits: (ofTable - partitionUnits) / partitionUnits,
    byTrips: ((sequentialTrips - 2) / marked) * asked * secondsPerTrip,
  };
}

test(`D27: marking ${marked} as read is one call, in time for ${asked} in ${mostSeconds} s, on AWS by its units and round trips`, async () => {
  await putNotifications(3, marked);
  const startedAt = performance.now();
  let total = 0;
  const cost = await costOf(async () => {
    total = (await markReadUpTo(firstOfMany + marked, driverContext(3))).total;
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const onAws = secondsOnAws(cost);
  say(`marking ${marked}`, { seconds, ...cost, onAws });
  expect(total).toBe(marked);
  expect(onAws.byUnits).toBeLessThan(mostSeconds);
  expect(onAws.byTrips).toBeLessThan(mostSeconds);
  expect(cost.sequentialTrips).toBeLessThanOrEqual(
    Math.ceil(marked / mostTogether) + Math.floor(marked / idsPerPage) + 2,
  );
  expect(cost.readUnits).toBeLessThanOrEqual(marked * 1.02 + 1);
  expect(await findUnreadCounts(3)).toMatchObject({ notifications: 0, jobs: 0 });
  const left = (await storedNotifications(3)).filter(({ record, mark_key }) => mark_key || !(record as Item).read_at);
  expect(left).toEqual([]);
}, 600_000);

test("D25: an event costs at most 7 write units a user, its index with it", async () => {
  const users = Array.from({ length: 60 }, (_, at) => 1_000 + at);
  const about = { record_type: "Job", record_id: 7, params: { type: "published" } } as const;
  const cost = await costOf(() => deliverNotification(users, { eventId: "units", ...about }, testContext()));
  say("fan-out to 60", cost);
  expect(cost.writeUnits / users.length).toBeLessThanOrEqual(7);
  expect(cost.sequentialTrips).toBe(2);
});
