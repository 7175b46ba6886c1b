import { getProfile } from "../../shared/contract/accounts.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { findUser } from "../../shared/people/users.ts";
import { findCompany } from "../../shared/records/companies.ts";

/** Shows the caller's own profile. If the user has been removed, refuses the token as invalid (D37). */
export const handler = authenticated(getProfile, async ({ caller }) => {
  const user = await findUser(caller.userId);
  if (!user) throw new Refusal("token_invalid", "The user of this access token no longer exists");
  return { user: { ...user, company: await findCompany(user.financial_company_id) } };
});
