import type * as v from "valibot";
import type { profile } from "../contract/accounts.ts";
import { Refusal } from "../contract/refusals.ts";
import { findUserIdOfLogin } from "../db/accounts/logins.ts";
import { findUser } from "../db/accounts/users.ts";
import { findCompany } from "../records/companies.ts";

/** A user as the interface shows it, with the company. */
export type ShownUser = v.InferOutput<typeof profile>;

/** Access pattern U3: the user of a login, or the refusal `login_not_found`. Three round trips, 2.5 read units. */
export async function findUserOfLogin(login: string): Promise<ShownUser> {
  const id = await findUserIdOfLogin(login);
  const found = id === undefined ? undefined : await findUser(id);
  if (!found) throw new Refusal("login_not_found", "No user has this login");
  return { ...found, company: await findCompany(found.financial_company_id) };
}
