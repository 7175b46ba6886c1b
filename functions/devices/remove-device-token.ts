import { removeDeviceToken } from "../../shared/contract/devices.ts";
import { inSession } from "../../shared/http/endpoint.ts";
import { dropDeviceTokens, findDeviceSet } from "../../shared/notifications/devices.ts";

/** Removes a device token from the caller's list; an absent one is a success too (D28). */
export const handler = inSession(removeDeviceToken, {
  read: ({ caller }) => findDeviceSet(caller.userId, { consistent: true }),
  write: async ({ parameters, caller }, begun) => {
    await dropDeviceTokens(caller.userId, [parameters.id], begun);
    return {};
  },
});
