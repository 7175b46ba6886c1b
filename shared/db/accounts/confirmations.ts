import type { WriteContext } from "../../table/plans.ts";
import { paces, retry } from "../../table/retry.ts";
import { transact } from "../../table/writes.ts";
import { createLogin, markLoginConfirmed } from "./logins.ts";
import { type StoredPin, spend } from "./pins.ts";
import { putResetToken } from "./reset-tokens.ts";
import { createUser, findStoredUser, giveResetToken, type StoredUser, type User } from "./users.ts";

/** The right pin of a login, and its user. */
export interface ConfirmedPin {
  readonly pin: StoredPin;
  readonly user: User;
  /** The same as the table has it; undefined if the user comes into being with this pin. */
  readonly stored: StoredUser | undefined;
  /** True if the same client spent it within the last minute (D13). */
  readonly isRepeated: boolean;
}

/** The client that spends a pin, by a keyed hash, and the hash of the reset token that it gets. */
interface Spending {
  readonly client: string;
  readonly resetHash: string;
}

/**
 * Access pattern P8: spends a pin that fits, and stores the reset token that replaces the user's earlier one; confirms the login,
 * or with the pin of a registration makes its user, all or nothing. False if the pin was spent or replaced meanwhile, or the
 * login of a registration was taken (D13, D14, D16). One transaction of 4 writes; if others write the user meanwhile, one more
 * each time, and one read unit.
 */
export async function spendPin(
  login: string,
  { pin, user, stored: read }: ConfirmedPin,
  { client, resetHash }: Spending,
  context: WriteContext,
): Promise<boolean> {
  const { id } = user;
  const { now } = context;
  return retry(paces.record, async (count) => {
    const stored = !read || count === 0 ? read : await findStoredUser(id);
    if (read && !stored) return false;
    const ofLogin = stored ? markLoginConfirmed(login, id, now) : createLogin(login, id, now);
    const ofUser = stored ? giveResetToken(stored, resetHash, context) : createUser(user, resetHash, context);
    const token = putResetToken(id, resetHash, now);
    const failed = await transact([ofUser, ofLogin, spend(pin, client, now), token]);
    const isUserAlone = failed.length === 1 && failed[0] === 0;
    return isUserAlone && stored ? undefined : failed.length === 0;
  });
}
