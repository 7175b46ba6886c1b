import { openSession, sessionKey } from "../../../shared/people/sessions.ts";
import { findAccount } from "../../../shared/people/users.ts";
import { updateIf } from "../../../shared/table/writes.ts";
import { testSession } from "../tokens/tokens.ts";

/** Opens a session of a stored user, the one that test tokens name unless another is asked for, as if the user had just signed in. */
export async function openTestSession(userId: number, family = testSession): Promise<void> {
  const epoch = (await findAccount(userId))?.epoch ?? 0;
  const now = new Date();
  await openSession(userId, family, crypto.randomUUID(), epoch, now);
  // It may have been there, and have ended.
  const valid_to = new Date(now.getTime() + 30 * 86_400_000).toISOString();
  await updateIf(sessionKey(userId, family), { set: { epoch, valid_to, opened_at: now.toISOString() } });
}
