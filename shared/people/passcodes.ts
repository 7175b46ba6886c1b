import type { Caller } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
import { count } from "../run/log.ts";
import { hmacKey } from "../tokens/secrets.ts";
import { keyNotAllowed } from "./api-keys.ts";
import {
  countAttempt,
  countFailure,
  findCount,
  forgetCount,
  giveBack,
  type LimitRule,
  limitSubjectOf,
  requireBelow,
} from "./limits.ts";
import { requireActing } from "./sessions.ts";
import {
  type Account,
  findAccountWith,
  hashPasscode,
  passcodeFits,
  replaceHash,
  secretKey,
  userSecrets,
} from "./users.ts";

/** The limits on guessing passcodes (D19). */
export const passcodeRules = {
  ofDay: { name: "passcode", subjectKind: "user", most: 20, window: "day", code: "passcode_locked" },
  /** Wrong passcodes in a row, until the right one. */
  inRow: {
    name: "passcodesInRow",
    subjectKind: "passcode",
    most: 100,
    window: "none",
    code: "passcode_locked",
    reason: "100 wrong passcodes in a row: the support of the service has to unlock it or set another one first",
  },
} as const satisfies Readonly<Record<string, LimitRule>>;

/** The limits on the passcodes that are typed for a user: of a day, and on the misses in a row at this passcode (D19). */
export async function passcodeLimits(userId: number, hash: string) {
  const [ofDay, inRow] = await Promise.all([
    limitSubjectOf(passcodeRules.ofDay, String(userId)),
    limitSubjectOf(passcodeRules.inRow, `${userId}|${hash}`),
  ]);
  return { ofDay, inRow };
}

/**
 * Counts a passcode before it is compared, or refuses it as `passcode_locked` (D19). A right one is forgiven, which takes
 * its own count back and ends the row; a miss is kept in the row. Half a read unit and one write unit, two round trips; then
 * two write units for a right one, three if there is a row, and one for a miss.
 */
async function countPasscode(userId: number, hash: string, now: Date) {
  const { ofDay, inRow } = await passcodeLimits(userId, hash);
  const misses = await findCount(inRow, now);
  requireBelow(passcodeRules.inRow, misses, now);
  const taken = await countAttempt(ofDay, now);
  return {
    forgive: () => Promise.all([giveBack(taken), misses > 0 && forgetCount(inRow, now)]),
    keepMiss: () => countFailure(inRow, now),
  };
}

/**
 * Lets a caller pay who may act, and who has no passcode or sends the right one. Refuses others as `token_invalid`,
 * `passcode_invalid`, and `passcode_locked`: for the rest of the day after 20 misses, and until somebody resets it after 100
 * in a row (D19). Gives the caller's account. Five read units; with a passcode half a unit and three write units more. For
 * callers without a passcode one round trip. The `holder` of an API key pays only without a passcode: a key neither tries nor
 * counts one. One read unit.
 */
export async function authorizePayment(
  caller: Caller,
  passcode: string | undefined,
  now: Date,
  holder?: Account,
): Promise<Account> {
  if (holder) return requireNoPasscode(holder);
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

async function requireNoPasscode(holder: Account): Promise<Account> {
  const hash = await userSecrets.find(secretKey("passcode", holder.user.id), { consistent: true });
  if (!hash) return holder;
  throw keyNotAllowed("Your payments need your passcode, which no API key can send: pay in a session");
}

function passcodeInvalid(): Refusal {
  return new Refusal("passcode_invalid", "The passcode is missing or wrong");
}
