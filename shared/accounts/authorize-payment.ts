import type { Caller } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
import { type Account, findAccountWith } from "../db/accounts/accounts.ts";
import { replaceHash } from "../db/accounts/users.ts";
import { hashPasscode, passcodeFits } from "../domain/accounts/passcode.ts";
import { count } from "../run/log.ts";
import { hmacKey } from "../tokens/secrets.ts";
import { requireActing } from "./caller-session.ts";
import { countPasscode } from "./passcode-guesses.ts";

/**
 * Lets a caller pay who may act, and who has no passcode or sends the right one. Refuses others as `token_invalid`,
 * `passcode_invalid`, and `passcode_locked`: for the rest of the day after 20 misses, and until somebody resets it after 100
 * in a row (D19). Gives the caller's account. Five read units; with a passcode half a unit and three write units more. For
 * callers without a passcode one round trip.
 */
export async function authorizePayment(caller: Caller, passcode: string | undefined, now: Date): Promise<Account> {
  const actor = await requireActing(caller, (userId) => findAccountWith("passcode", userId), now);
  const { hash } = actor;
  if (hash === undefined) return actor;
  if (passcode === undefined) throw passcodeInvalid();
  const counted = await countPasscode(caller.userId, hash, now);
  const key = await hmacKey();
  if (!passcodeFits(passcode, caller.userId, hash, key)) {
    count("PasscodeFailures", {});
    await counted.keepMiss();
    throw passcodeInvalid();
  }
  await counted.forgive();
  if (!key.isCurrent(hash)) {
    await replaceHash(caller.userId, "passcode", hash, hashPasscode(passcode, caller.userId, key));
  }
  return actor;
}

function passcodeInvalid(): Refusal {
  return new Refusal("passcode_invalid", "The passcode is missing or wrong");
}
