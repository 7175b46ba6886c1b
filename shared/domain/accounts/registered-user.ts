import type * as v from "valibot";
import type { user } from "../../contract/accounts.ts";

/** A user as a registration makes them: a driver of no company (D1, D16). The login is in its normal form. */
export function registeredUser(
  id: number,
  login: string,
  names: { readonly first_name: string; readonly last_name: string },
): Omit<v.InferOutput<typeof user>, "company"> {
  return {
    id,
    contact_phone_number: null,
    email: login.includes("@") ? login : null,
    financial_company_id: null,
    first_name: names.first_name,
    job_position: null,
    last_name: names.last_name,
    phone_number: login.includes("@") ? null : login,
    profile_id: null,
    role: "driver",
  };
}
