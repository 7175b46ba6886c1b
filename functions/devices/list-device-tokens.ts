import { listDeviceTokens } from "../../shared/contract/devices.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { findDevices, isRegistered, type StoredDevice } from "../../shared/notifications/devices.ts";
import { requireSession } from "../../shared/people/sessions.ts";
import { timeOfId } from "../../shared/run/time-ordered-id.ts";

/**
 * Lists the caller's devices that get pushes, newest first, without their tokens. The session must be live (D28).
 */
export const handler = authenticated(listDeviceTokens, async ({ caller, now }) => {
  const [devices, account] = await Promise.all([findDevices(caller.userId), requireSession(caller, now)]);
  const registered = devices.filter((device) => isRegistered(device, account));
  return { items: registered.map((device) => shown(device, caller.sessionId)).toReversed(), total: registered.length };
});

function shown({ id, platform, device_id, family }: StoredDevice, sessionId: string) {
  const registered_at = timeOfId(id).toISOString();
  return {
    id,
    platform,
    device_id: device_id ?? null,
    registered_at,
    current: family === sessionId,
  };
}
