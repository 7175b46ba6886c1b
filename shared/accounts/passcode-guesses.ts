import {
  addTo,
  findCount,
  forgetCount,
  giveBack,
  type Limited,
  requireBelow,
  type Taken,
  take,
} from "../db/accounts/windows.ts";
import { paces, retry } from "../db/table/retry.ts";
import { Refusal } from "../domain/refusal.ts";
import { subjectOf } from "./subjects.ts";

/** The limits on the passcodes that are typed for a user (D19). */
export interface PasscodeLimits {
  readonly ofDay: Limited;
  /** Misses in a row. Another passcode has a row of its own. */
  readonly inRow: Limited;
}

/** A passcode that was counted, so that it may be compared. */
export interface CountedPasscode {
  readonly limits: PasscodeLimits;
  readonly taken: Taken;
  readonly missesInRow: number;
}

/** The limits on the passcodes of a user, whose passcode has this hash. */
export async function passcodeLimits(userId: number, hash: string): Promise<PasscodeLimits> {
  const [ofDay, inRow] = await Promise.all([
    subjectOf("passcode", String(userId)),
    subjectOf("passcodesInRow", `${userId}|${hash}`),
  ]);
  return { ofDay: { rule: "passcode", subject: ofDay }, inRow: { rule: "passcodesInRow", subject: inRow } };
}

/**
 * Counts a passcode before it is compared, or refuses it as `passcode_locked` (D19). Half a read unit and one write unit,
 * two round trips.
 */
export async function countPasscode(userId: number, hash: string, now: Date): Promise<CountedPasscode> {
  const limits = await passcodeLimits(userId, hash);
  const missesInRow = await findCount(limits.inRow, now);
  requireBelow("passcodesInRow", missesInRow, now);
  return { limits, missesInRow, taken: await takePatiently(limits.ofDay, now) };
}

/** Takes a right passcode back, and ends the row of misses before it. Two write units, three if there is a row. */
export async function forgivePasscode({ limits, taken, missesInRow }: CountedPasscode, now: Date): Promise<void> {
  await Promise.all([giveBack(taken), missesInRow > 0 && forgetCount(limits.inRow, now)]);
}

/** Keeps a wrong passcode in the row of misses. One write unit. */
export async function keepMiss({ limits }: CountedPasscode, now: Date): Promise<void> {
  await addTo(limits.inRow, now);
}

/** Right passcodes that are compared at this moment will be given back: whoever pays often at once waits for that. */
async function takePatiently(limited: Limited, now: Date): Promise<Taken> {
  let refusal: unknown;
  const takeOnce = () =>
    take(limited, now).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.code !== "passcode_locked") throw error;
      refusal = error;
      return undefined;
    });
  return retry(paces.givenBack, takeOnce, () => {
    throw refusal;
  });
}
