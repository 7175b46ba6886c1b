import { confirmLoginByBody } from "../../shared/contract/accounts.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { clientAddressOf } from "../../shared/http/event.ts";
import { confirm } from "../../shared/people/confirm.ts";
import { requireLogin } from "../../shared/people/typed-login.ts";
import { settings } from "../../shared/run/settings.ts";

/** Spends a pin as confirm-login does, without a secret in the URL (D10, D13, D14). */
export const handler = anonymous(confirmLoginByBody, async ({ body, now, change, sender }) => {
  const login = requireLogin(body.login, settings.defaultCountry(), { pointer: "/user/login" });
  return { user: await confirm(login, body.pin, await clientAddressOf(sender), { now, change }) };
});
