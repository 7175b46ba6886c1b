import { registerUser } from "../../shared/contract/accounts.ts";
import { type AnonymousRequest, anonymous } from "../../shared/http/endpoint.ts";
import { clientAddressOf } from "../../shared/http/event.ts";
import { requestPin } from "../../shared/people/ask-for-pin.ts";
import { clientOf, countAttempt, isLoopback, type LimitRule, limitSubjectOf } from "../../shared/people/limits.ts";
import { requireUncommon } from "../../shared/people/passwords.ts";
import { unknownUser } from "../../shared/people/shown-user.ts";
import { requireLogin, requireServed, requireSmsReceiver } from "../../shared/people/typed-login.ts";
import { settings } from "../../shared/run/settings.ts";
import { hmacKey } from "../../shared/tokens/secrets.ts";

/** Registrations of a client: they send to logins that nobody has proved to be theirs (D11). */
export const registrations = {
  name: "registration",
  subjectKind: "client",
  most: 30,
  window: "hour",
} as const satisfies LimitRule;

/**
 * Starts a registration, which its pin completes. The answer is the same for new and taken logins. A taken one is sent an
 * ordinary pin: which of the two is sent, the worker decides. The password and names in the request are checked and dropped: the
 * owner of the login sets them with the reset token (D16).
 */
export const handler = anonymous(registerUser, startRegistration, {
  closes: () => settings.registration() === "closed",
});

async function startRegistration({ body, now, sender, requestId }: AnonymousRequest<typeof registerUser>) {
  const login = requireLogin(body.login, settings.defaultCountry(), { pointer: "/user/login" });
  requireServed(login, settings.servedCountries());
  requireSmsReceiver(login, { registers: true });
  requireUncommon(body.password, "/user/password");
  const address = await clientAddressOf(sender);
  await countRegistration(address, now);
  const kinds = [true, false].map((registers) => requestPin({ login, requestId, registers, address }, now));
  const ends = (await Promise.all(kinds)).map((validTo) => validTo.toISOString());
  const { first_name, last_name } = body;
  const shown = { ...unknownUser(login.value, await hmacKey()), first_name, last_name, role: "driver" as const };
  return { user: { ...shown, pin_valid_to: ends.toSorted()[0] ?? "" } };
}

/** Clients of the machine itself are one developer (D11). */
async function countRegistration(address: string, now: Date): Promise<void> {
  if (isLoopback(address)) return;
  await countAttempt(await limitSubjectOf(registrations, clientOf(address)), now);
}
