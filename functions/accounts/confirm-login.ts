import { confirmLogin } from "../../shared/contract/accounts.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { clientAddressOf } from "../../shared/http/event.ts";
import { confirm } from "../../shared/people/confirm.ts";
import { requireLogin } from "../../shared/people/typed-login.ts";
import { settings } from "../../shared/run/settings.ts";

/** Spends a pin: confirms the login and answers with the user and a reset token (D10, D13, D14). */
export const handler = anonymous(confirmLogin, async ({ query, now, change, sender }) => {
  const login = requireLogin(query.login, settings.defaultCountry(), { parameter: "login" });
  return { user: await confirm(login, query.pin, await clientAddressOf(sender), { now, change }) };
});
