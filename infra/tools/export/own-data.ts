import { deviceOwners, deviceSets, devices } from "../../../shared/notifications/devices.ts";
import { countedSms, notices } from "../../../shared/notifications/notices.ts";
import { deliveredEvents, notificationCounts, notifications } from "../../../shared/notifications/notifications.ts";
import { apiKeys } from "../../../shared/people/api-keys.ts";
import { limitCounts } from "../../../shared/people/limits.ts";
import { logins, profiles } from "../../../shared/people/logins.ts";
import { pins, sequences } from "../../../shared/people/pins.ts";
import { resetTokens } from "../../../shared/people/reset.ts";
import { endedAt, familyOf, sessions } from "../../../shared/people/sessions.ts";
import { toUser, userSecrets, users } from "../../../shared/people/users.ts";
import { changes } from "../../../shared/records/changes.ts";
import { companies } from "../../../shared/records/companies.ts";
import { historyItems, toRecordedChange } from "../../../shared/records/history.ts";
import { listedItems, toTenantFields } from "../../../shared/records/items.ts";
import { numberEntries } from "../../../shared/records/numbers.ts";
import { snapshots } from "../../../shared/records/snapshots.ts";
import { timeOfId } from "../../../shared/run/time-ordered-id.ts";
import { counters } from "../../../shared/table/counters.ts";
import type { Entity } from "../../../shared/table/entity.ts";
import type { Item } from "../../../shared/table/table.ts";
import { keyOf } from "../../../shared/table/table.ts";
import { publicKeys } from "../../../shared/tokens/keys.ts";

/** A line of the data that the table holds about a user: its kind, and the fields. */
export interface OwnDataLine {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The decision on a kind of item: how it becomes a line, or the reason for leaving it out of a user's data. */
type Decision = { readonly lineOf: (item: Item) => OwnDataLine } | { readonly leftOut: string };

function shown<Stored extends object>(entity: Entity<Stored>, lineOf: (stored: Stored) => OwnDataLine) {
  const decision: Decision = { lineOf: (item) => lineOf(entity.decode(item)) };
  return [entity, decision] as const;
}

function omitted(entity: Entity<object>, leftOut: string) {
  const decision: Decision = { leftOut };
  return [entity, decision] as const;
}

const secret = "a credential, or a hash of one";
const ofNobody = "of the service, about nobody";
const ofCompany = "a company's record";
const derived = "follows from what is shown";
const guarding = "counts failures under a keyed hash that names no user, some of them strangers'";

/** The decision on each kind of item. Credentials and the proofs of a client or session are never shown. */
export const ownData: ReadonlyMap<Entity<object>, Decision> = new Map<Entity<object>, Decision>([
  shown(users, (stored) => ({
    type: "user",
    ...toUser(stored),
    password_changed_at: stored.password_changed_at ?? null,
  })),
  shown(logins, ({ pk, confirmed_at }) => ({
    type: "login",
    login: pk.slice("LOGIN#".length),
    confirmed_at: confirmed_at ?? null,
  })),
  shown(sessions, (session) => ({
    type: "session",
    id: familyOf(session),
    opened_at: session.opened_at,
    ...(session.valid_to === endedAt
      ? { refreshed_at: null, valid_to: null }
      : { refreshed_at: session.renewed_at, valid_to: session.valid_to }),
  })),
  shown(apiKeys, ({ keys }) => ({
    type: "api_keys",
    keys: Object.entries(keys).map(([id, { name, access, valid_to }]) => ({
      id: Number(id),
      name,
      access,
      created_at: timeOfId(Number(id)).toISOString(),
      valid_to,
    })),
  })),
  // Its token is left out, because it proves a known client (D10).
  shown(devices, ({ id, platform, push_service, device_id }) => ({
    type: "device",
    id,
    platform,
    push_service,
    device_id: device_id ?? null,
    registered_at: timeOfId(id).toISOString(),
  })),
  // The devices that a push has reached are left out: they say how far a message is.
  shown(notifications, ({ id, record }) => ({ type: "notification", id, ...record })),
  shown(notices, ({ sk, served = [] }) => {
    const [, about, at] = sk.split("#");
    return { type: "notice", about, at, channels: served.filter((each) => each !== countedSms) };
  }),
  // A timesheet is shown to its driver.
  shown(listedItems.TIMESHEETS, (stored) => ({ type: "timesheet", ...toTenantFields(stored) })),
  // The author of a change is left out, because that is another person's data.
  shown(historyItems, (stored) => {
    const { type, id, did, at, change, before, after } = toRecordedChange(stored);
    const operation = change?.operation ?? null;
    return { type: "change", of: type, id, did, at, operation, before: before ?? null, after: after ?? null };
  }),
  omitted(userSecrets, secret),
  omitted(pins, secret),
  omitted(resetTokens, secret),
  omitted(publicKeys, ofNobody),
  omitted(profiles, derived),
  omitted(notificationCounts, derived),
  omitted(deliveredEvents, "ids of events whose notifications are shown"),
  omitted(deviceSets, "a revision, without data"),
  omitted(deviceOwners, derived),
  omitted(limitCounts, guarding),
  omitted(changes, "which records a change of the user wrote, for its undo: the history shows the change"),
  omitted(companies, ofCompany),
  omitted(listedItems.INVOICES, ofCompany),
  omitted(listedItems.JOBS, ofCompany),
  omitted(counters, ofNobody),
  omitted(snapshots, ofNobody),
  omitted(numberEntries, ofCompany),
  omitted(sequences, ofNobody),
]);

const shownKinds = [...ownData].flatMap(([entity, decision]) =>
  "lineOf" in decision ? [{ entity, ...decision }] : [],
);

/** The line of an item; undefined if its kind is left out. */
export function ownDataLineOf(item: Item): OwnDataLine | undefined {
  const key = keyOf(item);
  return shownKinds.find(({ entity }) => entity.matches(key))?.lineOf(item);
}
