import { expect } from "vitest";
import { markByIds, markReadUpTo } from "../../../../functions/notifications/mark-notifications.ts";
import { handler as deliverNow } from "../../../../functions/workers/deliver-notifications.ts";
import { deliveredKey } from "../../../../functions/workers/notification-delivery.ts";
import { driverContext } from "../../../support/records/contexts.ts";
import { notificationLine } from "../../../support/records/records.ts";
import { readItem, write } from "../../../support/records/writes.ts";
import { fc } from "../../../support/service/properties.ts";
import { nothingFailed, queueEvent } from "../../../support/workers/workers.ts";
import { death, defineCommand } from "./command.ts";
import { expectUsers } from "./expect-model.ts";
import { killAt, type World } from "./world.ts";

const user = fc.nat({ max: 1 });
const picks = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 4 });
const type = fc.constantFrom("Job" as const, "Timesheet" as const, "Chat" as const);

/** Another system sends an event of which both users are to be notified. */
export const inform = defineCommand("inform", 2, { type }, async ({ type = "Job" }, world) => {
  const { base, events, messages, model } = world;
  const record = messages.length + 1;
  const eventId = `event-${base}-${record}`;
  events.set(eventId, { eventId, type, record, change: undefined });
  const recipients = { users: model.users.map(({ id }) => id) };
  messages.push({ eventId, record_type: type, record_id: record, params: { type: "sent" }, recipients });
});

/** Messages reach their worker in one batch, which may be cut short. */
export const deliver = defineCommand(
  "deliver",
  5,
  { picks, death },
  async ({ picks = [], death }, world) => {
    const { messages } = world;
    const some = picks.flatMap((pick) => messages[pick % messages.length] ?? []);
    if (some.length === 0) return;
    const work = async () => expect(await deliverNow(queueEvent(...some))).toEqual(nothingFailed);
    const wasKilled = await killAt(death, work);
    for (const { eventId } of some) await arrive(eventId, world, wasKilled);
  },
  expectUsers,
);

/** All messages come again, each to two workers at once. */
export async function endDeliveries(world: World): Promise<void> {
  for (const message of world.messages) {
    world.tick();
    const event = queueEvent(message);
    const both = await Promise.all([deliverNow(event), deliverNow(event)]);
    expect(both).toEqual([nothingFailed, nothingFailed]);
    await arrive(message.eventId, world, false);
  }
}

/** Of a worker that was killed, the delivered event says how far it came. */
async function arrive(eventId: string, { base, events, model }: World, wasKilled: boolean): Promise<void> {
  const event = events.get(eventId);
  if (!event) throw new Error("A message is of no change of the model");
  const drivers = event.change ? model.users.filter((_, at) => at === (event.record - base < 2 ? 0 : 1)) : model.users;
  for (const user of drivers) {
    if (wasKilled && !(await readItem(deliveredKey(user.id, eventId)))) continue;
    user.arrive(event, model.records.TIMESHEET.get(event.record)?.state);
  }
}

/** A user marks notifications. */
export const mark = defineCommand(
  "mark",
  2,
  { user, picks, read: fc.boolean() },
  async ({ user = 0, picks = [], read = true }, world) => {
    const { id, notifications } = world.user(user);
    const picked = [...new Set(picks.flatMap((pick) => notifications[pick % notifications.length] ?? []))];
    const ids = picked.map((each) => each.id ?? 0);
    if (ids.length > 0) await markByIds(ids, read, driverContext(id));
    for (const each of picked) each.read = read;
  },
  expectUsers,
  ({ user = 0 }, { users }) => users[user]?.notifications.length !== 0,
);

/** A user marks all notifications as read. */
export const markAll = defineCommand(
  "markAll",
  1,
  { user },
  async ({ user = 0 }, world) => {
    const { id, notifications } = world.user(user);
    await markReadUpTo(Number.MAX_SAFE_INTEGER, driverContext(id));
    for (const each of notifications) each.read = true;
  },
  expectUsers,
);

let imported = 0;

/** An import adds a notification, older than all others, or removes the first that it has added. */
export const importNotification = defineCommand(
  "importNotification",
  2,
  { user, isRemoved: fc.boolean() },
  async ({ user = 0, isRemoved }, world) => {
    const { id: userId, notifications } = world.user(user);
    const at = notifications.findIndex(({ eventId }) => eventId === undefined);
    if (isRemoved) {
      const [found] = at < 0 ? [] : notifications.splice(at, 1);
      if (found) await write({ type: "notification", id: found.id, user_id: userId, deleted: true });
      return;
    }
    imported += 1;
    const line = notificationLine(imported, userId, { record_type: "Invoice", record_id: imported });
    await write(line);
    const shown = `Invoice ${imported} published`;
    notifications.push({ eventId: undefined, shown, createdAt: line.created_at, read: false });
  },
  expectUsers,
);
