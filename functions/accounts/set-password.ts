import { setPassword } from "../../shared/contract/accounts.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { requireUncommon } from "../../shared/people/passwords.ts";
import { changePasswordOnce } from "./password-change.ts";

/**
 * Spends a reset token for a new password, ends every session of the user and notifies the user. The same token with
 * the same password gets the answer again within a minute (D14, D15).
 */
export const handler = anonymous(setPassword, async ({ body, now, change }) => {
  requireUncommon(body.password, "/user/password");
  const user = await changePasswordOnce({ body, now, change });
  if (user) return { user };
  throw new Refusal("reset_token_invalid", "The reset token is spent, expired or unknown; request a new pin");
});
