import type { SecretKind } from "../../domain/accounts/secret-hashes.ts";
import { readTogether } from "../../table/writes.ts";
import { secretKey, userSecrets } from "./user-secrets.ts";
import { findStoredUser, type StoredUser, toUser, type User, userKey, users } from "./users.ts";

/** A user with what sessions depend on. */
export interface Account {
  readonly user: User;
  /** The same as the table has it, for a write that depends on it. */
  readonly stored: StoredUser;
  /** The hash of the reset token that counts, if one was given out (D14). */
  readonly resetHash: string | undefined;
  /** Goes up when every session of the user ends (D14). */
  readonly epoch: number;
}

/** Access pattern A1: an account by user id. One read unit. */
export async function findAccount(userId: number): Promise<Account | undefined> {
  const stored = await findStoredUser(userId);
  return stored && toAccount(stored);
}

/** An account with the hash of one of its secrets; undefined where it has none. */
export interface AccountWithHash extends Account {
  readonly hash: string | undefined;
}

/**
 * Access pattern A5: an account and the hash of a secret, both of one moment: who has read the hash of the last password has
 * not read the epoch of the next (D14). Four read units, one round trip.
 */
export async function findAccountWith(kind: SecretKind, userId: number): Promise<AccountWithHash | undefined> {
  const [item, secret] = await readTogether([userKey(userId), secretKey(kind, userId)]);
  if (!item) return undefined;
  const stored = users.decode(item);
  const hash = secret && userSecrets.decode(secret).hash;
  return { ...toAccount(stored), hash };
}

function toAccount(stored: StoredUser): Account {
  const { reset_hash: resetHash, session_epoch: epoch = 0 } = stored;
  return { user: toUser(stored), stored, resetHash, epoch };
}
