import { deviceOwners, deviceSets, devices } from "./notifications/devices.ts";
import { notices } from "./notifications/notices.ts";
import { deliveredEvents, notificationCounts, notifications } from "./notifications/notifications.ts";
import { apiKeys } from "./people/api-keys.ts";
import { limitCounts } from "./people/limits.ts";
import { logins, profiles } from "./people/logins.ts";
import { pins, sequences } from "./people/pins.ts";
import { resetTokens } from "./people/reset.ts";
import { sessions } from "./people/sessions.ts";
import { userSecrets, users } from "./people/users.ts";
import { changes } from "./records/changes.ts";
import { companies } from "./records/companies.ts";
import { historyItems } from "./records/history.ts";
import { listedItems } from "./records/items.ts";
import { numberEntries } from "./records/numbers.ts";
import { snapshots } from "./records/snapshots.ts";
import { counters } from "./table/counters.ts";
import type { Entity, StreamRecord } from "./table/entity.ts";
import type { Item, Key } from "./table/table.ts";
import { publicKeys } from "./tokens/keys.ts";

/** All kinds of items in the table. Each item belongs to exactly one. */
export const entities: readonly Entity<object>[] = [
  users,
  userSecrets,
  logins,
  pins,
  resetTokens,
  profiles,
  sessions,
  apiKeys,
  limitCounts,
  publicKeys,
  notifications,
  notificationCounts,
  deliveredEvents,
  devices,
  deviceSets,
  deviceOwners,
  notices,
  changes,
  companies,
  listedItems.TIMESHEETS,
  listedItems.INVOICES,
  listedItems.JOBS,
  historyItems,
  counters,
  numberEntries,
  snapshots,
  sequences,
];

/** The entity of the item with a key. */
export function entityOf(key: Key): Entity<object> | undefined {
  return entities.find(({ matches }) => matches(key));
}

/** Upgrades the items of a change to their newest version. */
export function decodeChange(change: StreamRecord): StreamRecord {
  const entity = entityOf(change.key);
  const decode = (item: Item | undefined) => (item && entity ? { ...entity.decode(item) } : item);
  return { ...change, before: decode(change.before), after: decode(change.after) };
}
