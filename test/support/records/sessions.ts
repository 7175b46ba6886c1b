import { findAccount } from "../../../shared/db/accounts/accounts.ts";
import { openSession } from "../../../shared/db/accounts/sessions.ts";
import { type TestUser, testSession } from "../tokens/tokens.ts";
import { callerLine } from "./records.ts";
import { store } from "./store.ts";

/** Stores the user of a test's tokens with the session that they name, unless there is one. */
export async function storeSignedIn(user: TestUser): Promise<void> {
  await store([callerLine(user)]);
  await openTestSession(user.id);
}

/** Opens the session that a stored user's test tokens name, unless it is open. */
export async function openTestSession(userId: number): Promise<void> {
  const account = await findAccount(userId);
  await openSession(userId, testSession, crypto.randomUUID(), account?.epoch ?? 0, new Date());
}
