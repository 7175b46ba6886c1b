import { countPinRequest } from "../../shared/accounts/throttles.ts";
import { registerUser } from "../../shared/contract/accounts.ts";
import { requireUncommon } from "../../shared/domain/accounts/common-passwords.ts";
import { requireLogin, requireServed } from "../../shared/domain/accounts/login.ts";
import { hashPassword } from "../../shared/domain/accounts/password.ts";
import { pinValidTo } from "../../shared/domain/accounts/pin.ts";
import { unknownUser } from "../../shared/domain/accounts/users.ts";
import { type AnonymousRequest, anonymous } from "../../shared/http/endpoint.ts";
import { queuePinRequest } from "../../shared/messaging/pin-queue.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { settings } from "../../shared/settings.ts";

/** Starts a registration, which its pin completes; the answer is the same for new and taken logins (D16). */
export const handler = anonymous(registerUser, startRegistration, {
  closes: () => settings.registration() === "closed",
});

async function startRegistration({ body, now, clientAddress, requestId }: AnonymousRequest<typeof registerUser>) {
  const login = requireLogin(body.login, settings.defaultCountry(), { pointer: "/user/login" });
  requireServed(login, settings.servedCountries());
  requireUncommon(body.password, "/user/password");
  await countPinRequest(login.value, clientAddress, now);
  const { first_name, last_name } = body;
  const registration = { first_name, last_name, password_hash: await hashPassword(body.password) };
  const validTo = pinValidTo(now);
  const { value, channel } = login;
  await queuePinRequest({ login: value, channel, requestId, requestedAt: now, validTo, registration });
  const shown = { ...unknownUser(login.value, await hmacKey()), first_name, last_name, role: "driver" as const };
  return { user: { ...shown, pin_valid_to: validTo.toISOString() } };
}
