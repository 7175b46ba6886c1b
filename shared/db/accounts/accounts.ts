import { recordKey, resetTokenKey } from "../table/keys.ts";
import { getItem, type Item } from "../table/table.ts";
import { transact } from "../table/transaction.ts";
import type { StoredUser } from "./users.ts";
import { findUserIdOfLogin, toUser } from "./users.ts";

/** A user with what only signing in needs. */
export interface Account {
  readonly user: StoredUser;
  readonly passwordHash: string | undefined;
  readonly passcodeHash: string | undefined;
  /** Goes up when every session of the user ends (D14). */
  readonly epoch: number;
}

/** Nobody's id: looking it up costs what looking up a user costs. */
const nobody = 0;

/** Access pattern A1: an account by user id. One read unit. */
export async function findAccount(userId: number): Promise<Account | undefined> {
  const item = await getItem(recordKey("USER", userId), { consistent: true });
  return item && toAccount(item);
}

/** Access pattern A2: the account of a login. Two round trips and two read units, for an unknown login as well (D15). */
export async function findAccountOfLogin(login: string): Promise<Account | undefined> {
  return findAccount((await findUserIdOfLogin(login)) ?? nobody);
}

/** Access pattern A3: the user a reset token was given to, while it counts; undefined otherwise (D14). */
export async function findUserOfResetToken(hash: string, now: Date): Promise<Account | undefined> {
  const token = await getItem(resetTokenKey(hash), { consistent: true });
  if (!token || String(token.valid_to) <= now.toISOString()) return undefined;
  return findAccount(Number(token.user_id));
}

/**
 * Access pattern A4: spends a reset token for a new password and ends every session of the user, all or nothing. False
 * when the token is spent, expired or replaced (D14). One transaction of 2 writes.
 */
export async function changePassword(
  userId: number,
  resetHash: string,
  passwordHash: string,
  now: Date,
): Promise<boolean> {
  const failed = await transact([
    {
      Delete: {
        Key: resetTokenKey(resetHash),
        ConditionExpression: "user_id = :user AND valid_to > :now",
        ExpressionAttributeValues: { ":user": userId, ":now": now.toISOString() },
      },
    },
    {
      Update: {
        Key: recordKey("USER", userId),
        ConditionExpression: "reset_hash = :hash",
        UpdateExpression:
          "SET password_hash = :password REMOVE reset_hash, silent ADD session_epoch :one, revision :one",
        ExpressionAttributeValues: { ":hash": resetHash, ":password": passwordHash, ":one": 1 },
      },
    },
  ]);
  return failed.length === 0;
}

function toAccount(item: Item): Account {
  return {
    user: toUser(item),
    passwordHash: item.password_hash as string | undefined,
    passcodeHash: item.passcode_hash as string | undefined,
    epoch: Number(item.session_epoch ?? 0),
  };
}
