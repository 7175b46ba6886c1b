import { countPinRequest } from "../../shared/accounts/count-pin-request.ts";
import { findUserOfLogin } from "../../shared/accounts/shown-user.ts";
import { requestPasswordReset } from "../../shared/contract/accounts.ts";
import { requireLogin, requireServed } from "../../shared/domain/accounts/login.ts";
import { unknownUser } from "../../shared/domain/accounts/shown-users.ts";
import { requireSmsReceiver } from "../../shared/domain/accounts/sms-receiver.ts";
import { anonymousByAddress } from "../../shared/http/anonymous-by-address.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { settings } from "../../shared/settings.ts";

/** Queues a pin for a login. The answer shows only what the caller sent, unless the stage discloses users (D7–D12). */
export const handler = anonymousByAddress(
  requestPasswordReset,
  async ({ body, now, clientAddress: address, requestId }) => {
    const login = requireLogin(body.login, settings.defaultCountry(), { pointer: "/user/login" });
    requireServed(login, settings.servedCountries());
    requireSmsReceiver(login, { registers: false });
    const pin = await countPinRequest({ login, address, requestId, registers: false }, now);
    // First, so that a later fault costs nobody the pin.
    await pin.send();
    const isDisclosed = settings.recoveryDisclosure() === "full";
    const user = isDisclosed ? await findUserOfLogin(login.value) : unknownUser(login.value, await hmacKey());
    return { user: { ...user, pin_valid_to: pin.validTo.toISOString() } };
  },
);
