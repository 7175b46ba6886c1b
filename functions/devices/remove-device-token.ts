import { removeDeviceToken } from "../../shared/contract/devices.ts";
import { dropDeviceTokens } from "../../shared/db/notifications/device-tokens.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Takes a device token out of the caller's list; one that is not there is as good as removed (D28). */
export const handler = authenticated(removeDeviceToken, async ({ parameters, caller }) => {
  await dropDeviceTokens(caller.userId, [parameters.id]);
  return {};
});
