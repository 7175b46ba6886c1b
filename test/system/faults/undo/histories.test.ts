import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { markNotifications } from "../../../../shared/db/notifications/mark-notifications.ts";
import { findUnreadCounts } from "../../../../shared/db/notifications/notification-counts.ts";
import { findNotifications } from "../../../../shared/db/notifications/notifications.ts";
import { scanPage } from "../../../../shared/db/table/table.ts";
import { driverContext } from "../../../support/records/contexts.ts";
import { expectExactCounters } from "../../../support/records/exact-counters.ts";
import { adjust, mark, undo } from "../../../support/requests/changes.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { fc } from "../../../support/service/properties.ts";
import { useService } from "../../../support/service/service.ts";
import { storedNotifications } from "../../../support/workers/workers.ts";
import { expectTimesheets } from "../totals/list-model.ts";
import { knownHistories } from "./known-histories.ts";
import type { Asking } from "./model.ts";
import { type Step, step } from "./steps.ts";
import { timerValue, World } from "./world.ts";

const runs = usualOrFull(4, 2_000, 20);

const service = useService();

beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-05-10T09:00:00.000Z"), toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

test(`D41: known and ${runs} random histories of payments, timers, undos of them and of undos, imports, removals and writes by hand, cut short anywhere and repeated, with late and doubled news and reads between, end in the records, totals, notifications and counts of a model`, async () => {
  const history = fc.array(step, { minLength: 4, maxLength: 14 });
  const examples = knownHistories.map((steps): [Step[]] => [steps]);
  await fc.assert(fc.asyncProperty(history, runHistory), { numRuns: runs + examples.length, examples });
}, 10_800_000);

async function runHistory(steps: readonly Step[]): Promise<void> {
  await emptyTable();
  const world = new World();
  await world.begin();
  for (const each of steps) {
    // Ids of notifications sort by the moment.
    vi.setSystemTime(Date.now() + 10);
    await take(each, world);
  }
  for (const request of world.requests) await world.repeat(request);
  await world.stream();
  for (const message of [...world.messages, ...world.messages.toReversed()]) {
    vi.setSystemTime(Date.now() + 10);
    await world.deliver(message);
  }
  await expectModel(world);
}

/** The counters are compared with a count of the whole table, which is short if it has one history. The signing key stays. */
async function emptyTable(): Promise<void> {
  const { items } = await scanPage({ FilterExpression: "pk <> :keys", ExpressionAttributeValues: { ":keys": "KEYS" } });
  for (let at = 0; at < items.length; at += 25) {
    const requests = items.slice(at, at + 25).map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
    await service.database.send(new BatchWriteCommand({ RequestItems: { [service.tableName]: requests } }));
  }
}

async function take(each: Step, world: World): Promise<void> {
  const { base, people, model } = world;
  const key = crypto.randomUUID();
  if (each.does === "pay") {
    const as = people[each.who] ?? people[0];
    const ids = each.slots.map((slot) => base + slot);
    await world.ask(
      {
        send: () => mark(as, ids, each.state, { key }),
        expected: () => model.set("TIMESHEETS", asking(as), ids, each.state),
        shows: { list: "TIMESHEETS", ids },
      },
      each.death,
    );
  } else if (each.does === "adjust") {
    const [, admin] = people;
    const ids = each.slots.map((slot) => base + slot);
    await world.ask(
      {
        send: () => adjust(admin, ids, each.timer, { key }),
        expected: () => model.set("JOBS", asking(admin), ids, timerValue(each.timer, Date.now())),
        shows: { list: "JOBS", ids },
      },
      each.death,
    );
  } else if (each.does === "undo") {
    const as = people[each.who] ?? people[0];
    const undone = model.changes.at(-1 - each.pick);
    if (!undone) return;
    const send = () => undo(as, undone.id, { key });
    await world.ask({ send, expected: () => model.undo(undone, asking(as)) }, each.death);
  } else if (each.does === "repeat") {
    const request = world.requests[each.pick % world.requests.length];
    if (request) await world.repeat(request);
  } else await takeOther(each, world);
}

async function takeOther(
  each: Exclude<Step, { does: "pay" | "adjust" | "undo" | "repeat" }>,
  world: World,
): Promise<void> {
  if (each.does === "stream") return world.stream();
  if (each.does === "deliver") {
    const message = world.messages[each.pick % world.messages.length];
    if (message) await world.deliver(message, each.death);
    await expectUsers(world);
  } else if (each.does === "mark") await look(each, world);
  else {
    const isThere = world.model.records.TIMESHEETS.has(world.base + each.slot);
    if (!isThere) return;
    if (each.does === "import") await world.importTimesheet(each.slot, each.state, `Driver ${Date.now()}`);
    else if (each.does === "remove") await world.remove(each.slot);
    else await world.writeByHand(each.slot);
    await world.look();
  }
}

/** A user marks a notification. */
async function look(each: Extract<Step, { does: "mark" }>, world: World): Promise<void> {
  const { list } = world.drivers[each.who] ?? world.drivers[0];
  const userId = world.driverIds[each.who] ?? 0;
  const notification = list[each.pick % list.length];
  if (!notification) return;
  const stored = await storedNotifications(userId);
  const id = Number(stored[list.indexOf(notification)]?.id);
  await markNotifications([id], each.read, driverContext(userId));
  notification.read = each.read;
}

async function expectModel(world: World): Promise<void> {
  await expectExactCounters();
  const listed = [...world.model.records.TIMESHEETS].map(([id, { value }]) => ({
    id,
    companyId: world.base,
    state: value,
    date: "2026-05-04",
  }));
  await expectTimesheets(world.base, listed);
  await expectUsers(world);
}

async function expectUsers(world: World): Promise<void> {
  for (const [at, { list }] of world.drivers.entries()) {
    const userId = world.driverIds[at] ?? 0;
    const { items, total } = await findNotifications(userId, { limit: 50, skip: 0, beforeId: undefined });
    const shown = items
      .toReversed()
      .map(({ record_id, params, read_at }) => [record_id, params.type, read_at !== null]);
    expect(shown).toEqual(list.map(({ record, change, read }) => [record, change.values.get(record)?.after, read]));
    expect(total).toBe(list.length);
    const unread = list.filter(({ read }) => !read).length;
    expect(await findUnreadCounts(userId)).toEqual({ notifications: unread, timesheets: unread, jobs: 0, chats: 0 });
  }
}

function asking({ id, role }: { readonly id: number; readonly role: string }): Asking {
  return { id, isAdmin: role === "admin" };
}
