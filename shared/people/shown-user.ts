import type * as v from "valibot";
import type { profile } from "../contract/accounts.ts";
import { Refusal } from "../contract/refusals.ts";
import { leastMaskedId } from "../contract/values.ts";
import { findCompany } from "../records/companies.ts";
import type { HmacKey } from "../tokens/secrets.ts";
import { findUserIdOfLogin } from "./logins.ts";
import { findUser } from "./users.ts";

type MaskedProfile = v.InferOutput<typeof profile>;
type MaskedUser = Omit<MaskedProfile, "company">;

/**
 * The user that an anonymous caller is shown: the login it sent, and an id that no user has, stable while the key stays
 * (D12).
 */
export function unknownUser(login: string, key: HmacKey): MaskedProfile {
  const digest = key.digest("unknown-user", login);
  // 52 bits, of which a number reads 48 at a time.
  const id = leastMaskedId + digest.readUIntBE(0, 6) * 16 + (digest.readUInt8(6) >> 4);
  return { ...userOf(login), id, company: null, first_name: "", last_name: "", role: "operator" };
}

/**
 * The user that a registration creates: a driver of no company, whose names come with the password (D1, D16). The login
 * is in its normal form.
 */
export function registeredUser(id: number, login: string): MaskedUser {
  return { ...userOf(login), id, first_name: "", last_name: "", role: "driver" };
}

function userOf(login: string) {
  const isEmail = login.includes("@");
  return {
    contact_phone_number: null,
    email: isEmail ? login : null,
    financial_company_id: null,
    job_position: null,
    locale: null,
    phone_number: isEmail ? null : login,
    profile_id: null,
  };
}

/** A user as the interface shows it, with the company. */
export type ShownUser = v.InferOutput<typeof profile>;

/** Access pattern U3: the user of a login, or the refusal `login_not_found`. Three round trips, 2.5 read units. */
export async function findUserOfLogin(login: string): Promise<ShownUser> {
  const id = await findUserIdOfLogin(login);
  const found = id === undefined ? undefined : await findUser(id);
  if (!found) throw new Refusal("login_not_found", "No user has this login");
  return { ...found, company: await findCompany(found.financial_company_id) };
}
