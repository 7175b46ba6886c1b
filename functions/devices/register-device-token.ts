import { pushServiceOf, registerDeviceToken } from "../../shared/contract/devices.ts";
import { inSession } from "../../shared/http/endpoint.ts";
import { saveDeviceToken } from "../../shared/notifications/devices.ts";
import { sessionEnded, sessionOf } from "../../shared/people/sessions.ts";
import { timeOrderedId } from "../../shared/run/time-ordered-id.ts";

/** Adds a device token to the caller's list. It gets pushes until all sessions of the user end (D28). */
export const handler = inSession(registerDeviceToken, {
  read: async () => undefined,
  write: async ({ body, caller, actor: { epoch }, now }) => {
    const { token, device_id: deviceId } = body;
    const { checks, family } = sessionOf(caller, now);
    const pushService = pushServiceOf(token, body.platform);
    const platform = body.platform ?? pushService;
    const device = { token, platform, pushService, deviceId, family, epoch };
    const id = await saveDeviceToken(caller.userId, device, timeOrderedId(now), checks);
    if (id === undefined) throw sessionEnded();
    return { notification: { id, platform, token } };
  },
});
