import { removeDeviceToken } from "../../shared/contract/devices.ts";
import { dropDeviceTokens } from "../../shared/db/notifications/device-tokens.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Removes a device token from the caller's list; an absent one is a success too (D28). */
export const handler = authenticated(removeDeviceToken, async ({ parameters, caller }) => {
  await dropDeviceTokens(caller.userId, [parameters.id]);
  return {};
});
