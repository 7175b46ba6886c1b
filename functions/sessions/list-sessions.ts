import { listSessions } from "../../shared/contract/sessions.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { findDevices, type StoredDevice } from "../../shared/notifications/devices.ts";
import { familyOf, requireSession, type StoredSession, sessionKey, sessions } from "../../shared/people/sessions.ts";
import { queryPage } from "../../shared/table/table.ts";

/** Most sessions in an answer: more than anybody has devices. The total counts them all. */
const perPage = 100;

/** So many sessions of a user are read, those that were opened last: programs may sign in every minute. */
const mostRead = 1_000;

/**
 * Lists the caller's sessions that can be renewed, the last refreshed first, with their clients' platforms (D5). Only a
 * live session may see the others.
 */
export const handler = authenticated(listSessions, async ({ caller, now }) => {
  const { userId, sessionId } = caller;
  const [account, devices, unexpired] = await Promise.all([
    requireSession(caller, now),
    findDevices(userId),
    findUnexpiredSessions(userId, now),
  ]);
  const live = unexpired.filter((session) => session.epoch === account.epoch);
  const items = live.slice(0, perPage).map((session) => shown(session, devices, sessionId));
  return { items, total: live.length, perPage };
});

/**
 * Access pattern S6: which session families of a user have not ended, of whatever epoch, among the 1,000 that were opened last, the
 * latest refreshed first. Half a read unit for 4 KB of the sessions of the last 90 days, live or not, up to 1,000; one round trip.
 */
async function findUnexpiredSessions(userId: number, now: Date): Promise<readonly StoredSession[]> {
  const { items } = await queryPage({
    ScanIndexForward: false,
    Limit: mostRead,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :session)",
    FilterExpression: "valid_to > :now",
    ExpressionAttributeValues: {
      ":pk": sessionKey(userId, "").pk,
      ":session": sessionKey(userId, "").sk,
      ":now": now.toISOString(),
    },
  });
  return items.map(sessions.decode).toSorted((one, other) => (one.valid_to < other.valid_to ? 1 : -1));
}

function shown(session: StoredSession, devices: readonly StoredDevice[], sessionId: string) {
  const id = familyOf(session);
  return {
    id,
    opened_at: session.opened_at,
    refreshed_at: session.renewed_at,
    platforms: devices.flatMap(({ family, platform }) => (family === id ? [platform] : [])),
    current: id === sessionId,
  };
}
