import { removeDeviceToken } from "../../shared/contract/devices.ts";
import { dropDeviceTokens } from "../../shared/db/notifications/device-tokens.ts";
import { inSession } from "../../shared/http/endpoint.ts";

/** Removes a device token from the caller's list; an absent one is a success too (D28). */
export const handler = inSession(removeDeviceToken, async ({ parameters, caller, actor }) => {
  await dropDeviceTokens(caller.userId, [parameters.id], actor);
  return {};
});
