import { requestPasswordReset } from "../../shared/contract/accounts.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { clientAddressOf, clientProofOf } from "../../shared/http/event.ts";
import { requestPin } from "../../shared/people/ask-for-pin.ts";
import { isKnownClient } from "../../shared/people/known-client.ts";
import { findUserOfLogin, unknownUser } from "../../shared/people/shown-user.ts";
import { requireLogin, requireServed, requireSmsReceiver } from "../../shared/people/typed-login.ts";
import { settings } from "../../shared/run/settings.ts";
import { hmacKey } from "../../shared/tokens/secrets.ts";

/** Queues a pin for a login. The answer shows only what the caller sent, unless the stage discloses users (D7–D12). */
export const handler = anonymous(requestPasswordReset, async ({ body, now, requestId, sender }) => {
  const login = requireLogin(body.login, settings.defaultCountry(), { pointer: "/user/login" });
  requireServed(login, settings.servedCountries());
  requireSmsReceiver(login, { registers: false });
  const address = await clientAddressOf(sender);
  const isKnown = isKnownClient(login, clientProofOf(sender), now);
  // First, so that a later fault costs nobody the pin.
  const validTo = await requestPin({ login, requestId, registers: false, address, isKnown }, now);
  const isDisclosed = settings.recoveryDisclosure() === "full";
  const user = isDisclosed ? await findUserOfLogin(login.value) : unknownUser(login.value, await hmacKey());
  return { user: { ...user, pin_valid_to: validTo.toISOString() } };
});
