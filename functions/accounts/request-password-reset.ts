import { findUserOfLogin } from "../../shared/accounts/shown-user.ts";
import { countPinRequest } from "../../shared/accounts/throttles.ts";
import { requestPasswordReset } from "../../shared/contract/accounts.ts";
import { requireLogin, requireServed } from "../../shared/domain/accounts/login.ts";
import { pinValidTo } from "../../shared/domain/accounts/pin.ts";
import { unknownUser } from "../../shared/domain/accounts/users.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { queuePinRequest } from "../../shared/messaging/pin-queue.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { settings } from "../../shared/settings.ts";

/** Queues a pin for a login; the answer shows nothing the caller did not send, unless the stage discloses (D7–D12). */
export const handler = anonymous(requestPasswordReset, async ({ body, now, clientAddress, requestId }) => {
  const login = requireLogin(body.login, settings.defaultCountry(), { pointer: "/user/login" });
  requireServed(login, settings.servedCountries());
  await countPinRequest(login.value, clientAddress, now);
  const isDisclosed = settings.recoveryDisclosure() === "full";
  const user = isDisclosed ? await findUserOfLogin(login.value) : unknownUser(login.value, await hmacKey());
  const validTo = pinValidTo(now);
  const { value, channel } = login;
  await queuePinRequest({ login: value, channel, requestId, requestedAt: now, validTo });
  return { user: { ...user, pin_valid_to: validTo.toISOString() } };
});
