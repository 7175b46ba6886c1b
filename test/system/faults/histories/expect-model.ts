import { expect } from "vitest";
import { findUnreadCounts } from "../../../../shared/db/notifications/notification-counts.ts";
import { findNotifications } from "../../../../shared/db/notifications/notifications.ts";
import { expectCounts, expectPages, type Lists } from "./expect-lists.ts";
import type { ModelNotification, UserModel } from "./model.ts";
import type { World } from "./world.ts";

const kindOf = { INVOICES: "INVOICE", TIMESHEETS: "TIMESHEET", JOBS: "JOB" } as const;

function listsOf({ model }: World): Lists {
  const all = Object.entries(kindOf).map(([list, kind]) => [list, [...model.records[kind].values()]]);
  return Object.fromEntries(all) as Lists;
}

/** Expects the companies' lists of which records have changed since the last call, and what searches by number find. */
export async function expectLists(world: World): Promise<void> {
  const isChanged = ([list]: [string, unknown]) => world.changedKinds.has(kindOf[list as keyof Lists]);
  const changed = Object.fromEntries(Object.entries(listsOf(world)).filter(isChanged));
  world.changedKinds.clear();
  await expectPages(changed, [world.base, world.base + 1], ["inv", "7"]);
}

/** Expects the counts of all lists and days, of each company and of all together. */
export async function expectAllCounts(world: World): Promise<void> {
  await expectCounts(listsOf(world), ["all", world.base, world.base + 1]);
}

/** Expects each user's notifications, newest first, and their counts. */
export async function expectUsers({ model }: World): Promise<void> {
  await Promise.all(model.users.map(expectUser));
}

async function expectUser({ id: userId, notifications }: UserModel): Promise<void> {
  const { items, total } = await findNotifications(userId, { limit: 100, skip: 0, beforeId: undefined });
  expect(total).toBe(notifications.length);
  expect(items).toEqual(items.toSorted((a, b) => b.id - a.id));
  expect(items).toEqual(
    items.toSorted((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0)),
  );
  const stored = items.map(({ id, created_at: createdAt, record_type, record_id, params, read_at }) => {
    return { id, createdAt, shown: `${record_type} ${record_id} ${params.type}`, read: read_at !== null };
  });
  nameNew(notifications, stored);
  const known = notifications.map(({ eventId: _, ...rest }) => rest);
  expect(stored).toEqual(known.toSorted((a, b) => (b.id ?? 0) - (a.id ?? 0)));
  const unread = notifications.filter(({ read }) => !read);
  const of = (type: string) => unread.filter(({ shown }) => shown.startsWith(type)).length;
  const counts = { timesheets: of("Timesheet"), jobs: of("Job"), chats: of("Chat") };
  expect(await findUnreadCounts(userId)).toEqual({ notifications: unread.length, ...counts });
}

/** Those that arrived at one moment are in any order. */
function nameNew(
  notifications: readonly ModelNotification[],
  stored: readonly Required<Omit<ModelNotification, "eventId">>[],
): void {
  const nameless = notifications.filter(({ id }) => id === undefined);
  const taken = new Set(notifications.map(({ id }) => id));
  for (const { id, shown, createdAt } of stored.filter((each) => !taken.has(each.id))) {
    const found = nameless.find(
      (each) => each.id === undefined && each.shown === shown && each.createdAt === createdAt,
    );
    if (found) found.id = id;
  }
}
