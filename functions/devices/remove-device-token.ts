import { removeDeviceToken } from "../../shared/contract/devices.ts";
import { inSession } from "../../shared/http/endpoint.ts";
import { dropDeviceTokens } from "../../shared/notifications/devices.ts";

/** Removes a device token from the caller's list; an absent one is a success too (D28). */
export const handler = inSession(removeDeviceToken, async ({ parameters, caller, actor }) => {
  await dropDeviceTokens(caller.userId, [parameters.id], actor);
  return {};
});
