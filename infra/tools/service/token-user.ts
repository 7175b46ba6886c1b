import { findUserIdOfLogin } from "../../../shared/db/accounts/logins.ts";
import { findUser } from "../../../shared/db/accounts/users.ts";
import { parseLogin } from "../../../shared/domain/accounts/login.ts";
import { settings } from "../../../shared/settings.ts";
import type { TokenUser } from "../../local/local-aws.ts";
import { UsageError } from "../cli/command.ts";

/** The user of a login in any form, as a token names it. Throws `UsageError` where no user of the place named has it. */
export async function findTokenUser(typed: string, place: string): Promise<TokenUser> {
  const login = parseLogin(typed, settings.defaultCountry());
  if (!login) throw new UsageError(`"${typed}" is neither an e-mail address nor a phone number.`);
  const id = await findUserIdOfLogin(login.value);
  const user = id === undefined ? undefined : await findUser(id);
  if (!user) throw new UsageError(`No user of ${place} has the login ${login.value}.`);
  return { id: user.id, role: user.role, company_id: user.financial_company_id };
}
