import { replaceHash } from "../db/accounts/users.ts";
import { hashPassword, isOutdated } from "../domain/accounts/password.ts";

/**
 * Gives a password that has just been compared with an outdated hash a new one, unless that was replaced meanwhile. It is the same
 * password: nobody is notified, and sessions and devices stay (D15). One write unit where it does.
 */
export async function renewPasswordHash(userId: number, password: string, compared: string): Promise<void> {
  if (isOutdated(compared)) await replaceHash(userId, "password", compared, await hashPassword(password));
}
