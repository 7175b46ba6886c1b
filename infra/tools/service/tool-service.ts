import { findUserIdOfLogin } from "../../../shared/people/logins.ts";
import { type Login, parseLogin } from "../../../shared/people/typed-login.ts";
import { findUser } from "../../../shared/people/users.ts";
import { settings } from "../../../shared/run/settings.ts";
import type { TokenUser } from "../../local/local-aws.ts";
import { UsageError } from "../cli/command.ts";

/** The service that a tool works on; this process is a client of it. */
export interface Service {
  /** True if workers run by themselves and process the tool's writes. */
  running: boolean;
  /** Runs the workers until the stream and the queues are empty, if none run by themselves. */
  processPending(): Promise<void>;
}

/** A login as typed. Throws `UsageError` for any other text. */
export function readLogin(typed: string): Login {
  const login = parseLogin(typed, settings.defaultCountry());
  if (login) return login;
  throw new UsageError(`"${typed}" is neither an e-mail address nor a phone number.`);
}

/** The user of a login in any form, as tokens name users. Throws `UsageError` if no user of the place has it. */
export async function findTokenUser(typed: string, place: string): Promise<TokenUser> {
  const login = readLogin(typed);
  const id = await findUserIdOfLogin(login.value);
  const user = id === undefined ? undefined : await findUser(id);
  if (!user) throw new UsageError(`No user of ${place} has the login ${login.value}.`);
  return { id: user.id, role: user.role, company_id: user.financial_company_id };
}
