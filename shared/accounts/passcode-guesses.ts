import {
  countAttempt,
  countFailure,
  findCount,
  forgetCount,
  giveBack,
  type LimitSubject,
  requireBelow,
} from "../db/accounts/windows.ts";
import { subjectOf } from "./subjects.ts";

/** The limits on the passcodes that are typed for a user: of a day, and on the misses in a row at this passcode (D19). */
export async function passcodeLimits(userId: number, hash: string) {
  const ofDay: LimitSubject = { rule: "passcode", subject: await subjectOf("passcode", String(userId)) };
  const inRow: LimitSubject = {
    rule: "passcodesInRow",
    subject: await subjectOf("passcodesInRow", `${userId}|${hash}`),
  };
  return { ofDay, inRow };
}

/**
 * Counts a passcode before it is compared, or refuses it as `passcode_locked` (D19). A right one is forgiven, which takes
 * its own count back and ends the row; a miss is kept in the row. Half a read unit and one write unit, two round trips; then
 * two write units for a right one, three if there is a row, and one for a miss.
 */
export async function countPasscode(userId: number, hash: string, now: Date) {
  const { ofDay, inRow } = await passcodeLimits(userId, hash);
  const misses = await findCount(inRow, now);
  requireBelow("passcodesInRow", misses, now);
  const taken = await countAttempt(ofDay, now);
  return {
    forgive: () => Promise.all([giveBack(taken), misses > 0 && forgetCount(inRow, now)]),
    keepMiss: () => countFailure(inRow, now),
  };
}
