import { countPinRequest } from "../../shared/accounts/count-pin-request.ts";
import { registerUser } from "../../shared/contract/accounts.ts";
import { requireUncommon } from "../../shared/domain/accounts/common-passwords.ts";
import { requireLogin, requireServed } from "../../shared/domain/accounts/login.ts";
import { unknownUser } from "../../shared/domain/accounts/shown-users.ts";
import { requireSmsReceiver } from "../../shared/domain/accounts/sms-receiver.ts";
import { type AddressedRequest, anonymousByAddress } from "../../shared/http/anonymous-by-address.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { settings } from "../../shared/settings.ts";

/**
 * Starts a registration, which its pin completes. The answer is the same for new and taken logins. The password and
 * names in the request are checked and dropped: the owner of the login sets them with the reset token (D16).
 */
export const handler = anonymousByAddress(registerUser, startRegistration, {
  closes: () => settings.registration() === "closed",
});

async function startRegistration({ body, now, clientAddress, requestId }: AddressedRequest<typeof registerUser>) {
  const login = requireLogin(body.login, settings.defaultCountry(), { pointer: "/user/login" });
  requireServed(login, settings.servedCountries());
  requireSmsReceiver(login, { registers: true });
  requireUncommon(body.password, "/user/password");
  const pin = await countPinRequest({ login, address: clientAddress, requestId, registers: true }, now);
  await pin.send();
  const { first_name, last_name } = body;
  const shown = { ...unknownUser(login.value, await hmacKey()), first_name, last_name, role: "driver" as const };
  return { user: { ...shown, pin_valid_to: pin.validTo.toISOString() } };
}
