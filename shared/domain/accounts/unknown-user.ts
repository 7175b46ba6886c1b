import type * as v from "valibot";
import type { user } from "../../contract/accounts.ts";
import type { HmacKey } from "../hmac-key.ts";
import type { Login } from "./login.ts";

/**
 * The user an anonymous caller is shown: nothing it did not send. The id is positive, below 2^53, and stable for a login
 * while the key stays (D12).
 */
export function unknownUser(login: Login, key: HmacKey): v.InferOutput<typeof user> {
  const digest = key.digest("unknown-user", login.value);
  return {
    id: (digest.readUIntBE(0, 6) % 1_000_000_000) + 1,
    company: null,
    contact_phone_number: null,
    email: login.channel === "email" ? login.value : null,
    financial_company_id: null,
    first_name: "",
    job_position: null,
    last_name: "",
    phone_number: login.channel === "sms" ? login.value : null,
    profile_id: null,
    role: "operator",
  };
}
