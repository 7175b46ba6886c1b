import { expect, test } from "vitest";
import { handler as deliver } from "../../../functions/workers/deliver-notifications.ts";
import { markAllRead, markNotifications } from "../../../shared/db/notifications/mark-notifications.ts";
import { findUnreadCounts } from "../../../shared/db/notifications/notification-counts.ts";
import { findNotifications, type Notification } from "../../../shared/db/notifications/notifications.ts";
import { type CrashMoment, crashAt } from "../../support/faults/crash.ts";
import { driverContext } from "../../support/records/contexts.ts";
import { notificationLine, userLine } from "../../support/records/records.ts";
import { write } from "../../support/records/writes.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { fc } from "../../support/service/properties.ts";
import { useService } from "../../support/service/service.ts";
import { queueEvent } from "../../support/workers/workers.ts";

/** CI asks for thousands; a run while developing for enough to notice. */
const runs = usualOrFull(10, 2_000, 20);
const sideBySide = 8;
const events = [0, 1, 2] as const;
const types = ["Job", "Timesheet", "Chat"] as const;

type Step =
  | { readonly does: "deliver"; events: readonly number[]; crashAt: number; moment: CrashMoment }
  | { readonly does: "mark"; user: number; pick: readonly number[]; read: boolean }
  | { readonly does: "mark all"; user: number }
  | { readonly does: "import"; user: number }
  | { readonly does: "remove"; user: number };

const user = fc.nat({ max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constant("deliver" as const),
    events: fc.array(fc.constantFrom(...events), { minLength: 1, maxLength: 4 }),
    crashAt: fc.integer({ min: 1, max: 5 }),
    moment: fc.constantFrom("before" as const, "after" as const),
  }),
  fc.record({
    does: fc.constant("mark" as const),
    user,
    pick: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 3 }),
    read: fc.boolean(),
  }),
  fc.record({ does: fc.constantFrom("mark all" as const, "import" as const, "remove" as const), user }),
);

interface Expected {
  /** What was marked, by notification: true for read. */
  readonly marks: Map<number, boolean>;
  /** Ids that an import added and did not remove. */
  readonly imported: Set<number>;
}

let lastId = 0;

useService();

test(`D25, D26: ${runs} random histories of deliveries, late, repeated, side by side and by workers that die, between marks, imports and removals, end in the notifications and counts of a model`, async () => {
  const history = fc.array(step, { minLength: 2, maxLength: 8 });
  const histories = fc.array(history, { minLength: sideBySide, maxLength: sideBySide });
  const property = fc.asyncProperty(histories, async (all) => void (await Promise.all(all.map(runHistory))));
  await fc.assert(property, { numRuns: Math.ceil(runs / sideBySide) });
}, 600_000);

async function runHistory(steps: readonly Step[]): Promise<void> {
  lastId += 2;
  const ids = [lastId - 1, lastId];
  const expected: Expected[] = ids.map(() => ({ marks: new Map(), imported: new Set() }));
  await Promise.all(ids.map((id) => write(userLine(id))));
  for (const each of steps) {
    if (each.does === "deliver") {
      const messages = each.events.map((event) => messageOf(event, ids));
      await crashAt(each.crashAt, each.moment, () => deliver(queueEvent(...messages)));
    } else await change(each, ids[each.user] ?? 0, expected[each.user] as Expected);
  }
  const all = events.map((event) => queueEvent(messageOf(event, ids)));
  for (const { batchItemFailures } of await Promise.all([...all, ...all].map(deliver))) {
    expect(batchItemFailures).toEqual([]);
  }
  for (const [at, id] of ids.entries()) await expectModel(id, expected[at] as Expected);
}

function messageOf(event: number, users: readonly number[]): object {
  const eventId = `event-${users[0]}-${event}`;
  return { eventId, record_type: types[event], record_id: event + 1, params: { type: "sent" }, recipients: { users } };
}

async function change(each: Exclude<Step, { does: "deliver" }>, userId: number, expected: Expected): Promise<void> {
  const { items } = await findNotifications(userId, { limit: 50, skip: 0, beforeId: undefined });
  if (each.does === "import") {
    lastId += 1;
    expected.imported.add(lastId);
    await write(notificationLine(lastId, userId, { record_type: "Invoice" }));
  } else if (each.does === "remove") {
    const [id] = expected.imported;
    if (id === undefined) return;
    await write({ type: "notification", id, user_id: userId, deleted: true });
    expected.imported.delete(id);
  } else if (each.does === "mark all") {
    await markAllRead(driverContext(userId));
    for (const { id } of items) expected.marks.set(id, true);
  } else {
    const picked = [...new Set(each.pick.flatMap((at) => items[at]?.id ?? []))];
    if (picked.length === 0) return;
    await markNotifications(picked, each.read, driverContext(userId));
    for (const id of picked) expected.marks.set(id, each.read);
  }
}

async function expectModel(userId: number, { marks, imported }: Expected): Promise<void> {
  const { items, total } = await findNotifications(userId, { limit: 50, skip: 0, beforeId: undefined });
  expect(total).toBe(items.length);
  expect(items.map(({ id }) => id)).toEqual(items.map(({ id }) => id).sort((a, b) => b - a));
  const delivered = items.filter(({ record_type }) => record_type !== "Invoice");
  expect(delivered.map(({ record_type }) => record_type).sort()).toEqual([...types].sort());
  expect(items.filter(({ id }) => imported.has(id))).toHaveLength(imported.size);
  expect(items).toHaveLength(types.length + imported.size);
  for (const { id, read_at } of items) expect(read_at !== null, `${id}`).toBe(marks.get(id) ?? false);
  expect(await findUnreadCounts(userId)).toEqual(countUnread(items));
}

function countUnread(items: readonly Notification[]) {
  const unread = items.filter(({ read_at }) => read_at === null);
  const of = (type: string) => unread.filter(({ record_type }) => record_type === type).length;
  return { notifications: unread.length, timesheets: of("Timesheet"), jobs: of("Job"), chats: of("Chat") };
}
