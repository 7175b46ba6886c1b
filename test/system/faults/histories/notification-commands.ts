import { expect } from "vitest";
import { handler as deliverNow } from "../../../../functions/workers/deliver-notifications.ts";
import { markAllRead, markNotifications } from "../../../../shared/db/notifications/mark-notifications.ts";
import { deliveredKey } from "../../../../shared/db/notifications/notification-delivery.ts";
import { driverContext } from "../../../support/records/contexts.ts";
import { notificationLine } from "../../../support/records/records.ts";
import { readItem, write } from "../../../support/records/writes.ts";
import { fc } from "../../../support/service/properties.ts";
import { nothingFailed, queueEvent } from "../../../support/workers/workers.ts";
import { commandsOf, death } from "./commands.ts";
import { expectUsers } from "./expect-model.ts";
import type { ModelEvent, UserModel } from "./model.ts";
import { type Death, killAt, type World } from "./world.ts";

/** Another system sends an event of which both users are to be notified. */
export const tell = commandsOf<{ readonly type: ModelEvent["type"] }>("tell", async ({ type }, world) => {
  const { base, events, messages, model } = world;
  const record = messages.length + 1;
  const eventId = `event-${base}-${record}`;
  events.set(eventId, { eventId, type, record, change: undefined });
  const recipients = { users: model.users.map(({ id }) => id) };
  const message = { eventId, record_type: type, record_id: record, params: { type: "sent" }, recipients };
  messages.push(message);
});

/** Messages reach their worker in one batch, which may be cut short. */
export const deliver = commandsOf<{ readonly picks: readonly number[]; readonly death?: Death }>(
  "deliver",
  async ({ picks, death }, world) => {
    const { messages } = world;
    const some = picks.flatMap((pick) => messages[pick % messages.length] ?? []);
    const wasKilled = await killAt(death, async () =>
      expect(await deliverNow(queueEvent(...some))).toEqual(nothingFailed),
    );
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
export const mark = commandsOf<{ readonly user: number; readonly picks: readonly number[]; readonly read?: boolean }>(
  "mark",
  async ({ user, picks, read = true }, world) => {
    const { id, notifications } = userOf(world, user);
    const picked = new Set(picks.flatMap((pick) => notifications[pick % notifications.length] ?? []));
    const ids = [...picked].map((each) => each.id ?? 0);
    if (ids.length > 0) await markNotifications(ids, read, driverContext(id));
    for (const each of picked) each.read = read;
  },
  expectUsers,
);

/** A user marks all notifications as read. */
export const markAll = commandsOf<{ readonly user: number }>(
  "markAll",
  async ({ user }, world) => {
    const { id, notifications } = userOf(world, user);
    await markAllRead(driverContext(id));
    for (const each of notifications) each.read = true;
  },
  expectUsers,
);

let imported = 0;

/** An import adds a notification, older than all others. */
export const importNotification = commandsOf<{ readonly user: number }>(
  "importNotification",
  async ({ user }, world) => {
    const { id: userId, notifications } = userOf(world, user);
    imported += 1;
    const line = notificationLine(imported, userId, { record_type: "Invoice", record_id: imported });
    await write(line);
    const { created_at: createdAt } = line;
    notifications.push({ eventId: undefined, shown: `Invoice ${imported} published`, createdAt, read: false });
  },
  expectUsers,
);

/** An import removes the first notification that one has added. */
export const removeNotification = commandsOf<{ readonly user: number }>(
  "removeNotification",
  async ({ user }, world) => {
    const model = userOf(world, user);
    const found = model.notifications.find(({ eventId }) => eventId === undefined);
    if (!found) return;
    await write({ type: "notification", id: found.id, user_id: model.id, deleted: true });
    model.notifications = model.notifications.filter((each) => each !== found);
  },
  expectUsers,
);

function userOf({ model }: World, at: number): UserModel {
  return model.users[at] as UserModel;
}

const user = fc.nat({ max: 1 });
const picks = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 4 });

/** Deliveries, marks and imports of notifications. */
export const notificationCommands = [
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom("Job" as const, "Timesheet", "Chat") }).map(tell) },
  { weight: 5, arbitrary: fc.record({ picks, death }).map(deliver) },
  { weight: 2, arbitrary: fc.record({ user, picks, read: fc.boolean() }).map(mark) },
  { weight: 1, arbitrary: fc.record({ user }).map(markAll) },
  { weight: 1, arbitrary: fc.record({ user }).map(importNotification) },
  { weight: 1, arbitrary: fc.record({ user }).map(removeNotification) },
];
