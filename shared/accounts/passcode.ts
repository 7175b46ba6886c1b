import { countAttempt, forgetAttempts } from "../db/accounts/throttles.ts";
import { findAccount } from "../db/accounts/users.ts";
import { passcodeFits } from "../domain/accounts/passcode.ts";
import type { Caller } from "../domain/caller.ts";
import { Refusal } from "../domain/refusal.ts";
import { count } from "../metrics.ts";
import { hmacKey } from "../secrets.ts";
import { passcodeTriesOf } from "./throttles.ts";

/**
 * Lets a caller go on who has no passcode or sends the right one; refuses others as `passcode_invalid`, and as
 * `passcode_locked` for 15 minutes after 5 misses, for longer after 20 in a day, and until somebody resets it after 100 in a
 * row (D19). One read unit, for callers without a passcode one round trip.
 */
export async function requirePasscode(caller: Caller, passcode: string | undefined, now: Date): Promise<void> {
  const hash = (await findAccount(caller.userId))?.passcodeHash;
  if (hash === undefined) return;
  if (passcode === undefined) throw passcodeInvalid();
  const tries = await passcodeTriesOf(caller.userId, hash);
  await countAttempt([tries], now);
  if (!passcodeFits(passcode, caller.userId, hash, await hmacKey())) {
    count("PasscodeFailures", {});
    throw passcodeInvalid();
  }
  await forgetAttempts(tries);
}

function passcodeInvalid(): Refusal {
  return new Refusal("passcode_invalid", "The passcode is missing or wrong");
}
