import { type AccountWithHash, findAccountWith } from "../db/accounts/accounts.ts";
import { countAttempt, forgetAttempts } from "../db/accounts/throttles.ts";
import { replaceHash } from "../db/accounts/users.ts";
import { hashPasscode, passcodeFits } from "../domain/accounts/passcode.ts";
import type { Caller } from "../domain/caller.ts";
import { Refusal } from "../domain/refusal.ts";
import { count } from "../metrics.ts";
import { hmacKey } from "../secrets.ts";
import { passcodeTriesOf } from "./requester.ts";

/**
 * Lets a caller pay who is still the user, in the role and of the company, that the access token names, and who has no
 * passcode or sends the right one. Refuses others as `token_invalid`, `passcode_invalid`, and `passcode_locked` for 15 minutes
 * after 5 misses, for longer after 20 in a day, and until somebody resets it after 100 in a row (D19). Four read units, for
 * callers without a passcode one round trip.
 */
export async function authorizePayment(caller: Caller, passcode: string | undefined, now: Date): Promise<void> {
  const { hash } = requireUnchanged(caller, await findAccountWith("passcode", caller.userId));
  if (hash === undefined) return;
  if (passcode === undefined) throw passcodeInvalid();
  const tries = await passcodeTriesOf(caller.userId, hash);
  await countAttempt(tries, now);
  const key = await hmacKey();
  if (!passcodeFits(passcode, caller.userId, hash, key)) {
    count("PasscodeFailures", {});
    throw passcodeInvalid();
  }
  await forgetAttempts(tries);
  if (key.isCurrent(hash)) return;
  await replaceHash(caller.userId, "passcode", hash, hashPasscode(passcode, caller.userId, key));
}

/** A token outlives its user's removal or move by minutes: enough to read by, not to pay. */
function requireUnchanged({ role, companyId }: Caller, account: AccountWithHash | undefined): AccountWithHash {
  const { user } = account ?? {};
  if (account && user?.role === role && user.financial_company_id === companyId) return account;
  throw new Refusal("token_invalid", "The user of this access token no longer exists, or has another role or company");
}

function passcodeInvalid(): Refusal {
  return new Refusal("passcode_invalid", "The passcode is missing or wrong");
}
