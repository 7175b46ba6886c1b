import { listSessions } from "../../shared/contract/sessions.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { findDevices, type StoredDevice } from "../../shared/notifications/devices.ts";
import { familyOf, findUnexpiredSessions, requireSession, type StoredSession } from "../../shared/people/sessions.ts";

/** Most sessions in an answer: more than anybody has devices. The total counts them all. */
const perPage = 100;

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
