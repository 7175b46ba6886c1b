import { findUserOfLogin } from "../../shared/accounts/shown-user.ts";
import { countPinRequest } from "../../shared/accounts/throttles.ts";
import { requestPasswordReset } from "../../shared/contract/accounts.ts";
import { requireLogin, requireServed } from "../../shared/domain/accounts/login.ts";
import { pinValidTo } from "../../shared/domain/accounts/pin.ts";
import { unknownUser } from "../../shared/domain/accounts/users.ts";
import { anonymousByAddress } from "../../shared/http/client-address.ts";
import { queuePinRequest } from "../../shared/messaging/pin-queue.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { settings } from "../../shared/settings.ts";

/** Queues a pin for a login; the answer shows nothing the caller did not send, unless the stage discloses (D7–D12). */
export const handler = anonymousByAddress(requestPasswordReset, async ({ body, now, clientAddress, requestId }) => {
  const login = requireLogin(body.login, settings.defaultCountry(), { pointer: "/user/login" });
  requireServed(login, settings.servedCountries());
  await countPinRequest(login.value, clientAddress, now);
  const isDisclosed = settings.recoveryDisclosure() === "full";
  const user = isDisclosed
    ? await findUserOfLogin(login.value, login.former)
    : unknownUser(login.value, await hmacKey());
  const validTo = pinValidTo(now);
  const { value, former, channel } = login;
  await queuePinRequest({ login: value, former, channel, requestId, requestedAt: now, validTo });
  return { user: { ...user, pin_valid_to: validTo.toISOString() } };
});
