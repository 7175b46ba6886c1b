import { hashPassword, isOutdated } from "../../shared/people/passwords.ts";
import { replaceHash } from "../../shared/people/users.ts";

/**
 * Replaces an outdated hash of a password that was just compared, unless it was replaced meanwhile. The password is the
 * same, so nobody is notified, and sessions and devices stay (D15). One write unit if it does.
 */
export async function renewPasswordHash(userId: number, password: string, compared: string): Promise<void> {
  if (isOutdated(compared)) await replaceHash(userId, "password", compared, await hashPassword(password));
}
