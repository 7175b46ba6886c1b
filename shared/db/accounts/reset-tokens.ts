import { resetTokenLifeMinutes } from "../../domain/accounts/reset-token.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSeconds } from "../table/expiry.ts";
import type { Key } from "../table/table.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { type Account, findAccount, replacePassword } from "./users.ts";

/** A reset token as the table has it; its key holds its hash. */
interface StoredResetToken extends StoredItem {
  readonly user_id: number;
  readonly valid_to: string;
  readonly expires_at: number;
}

/** The entity of reset tokens. */
export const resetTokens = defineEntity<StoredResetToken>(
  "reset token",
  ({ pk, sk }) => sk === "RESET" && pk.startsWith("RESET#"),
);

/** Access pattern A3: the user a reset token was given to, while it counts; undefined otherwise (D14). */
export async function findUserOfResetToken(hash: string, now: Date): Promise<Account | undefined> {
  const token = await resetTokens.find(resetTokenKey(hash), { consistent: true });
  if (!token || token.valid_to <= now.toISOString()) return undefined;
  return findAccount(token.user_id);
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
  const spend: TransactionWrite = {
    Delete: {
      Key: resetTokenKey(resetHash),
      ConditionExpression: "user_id = :user AND valid_to > :now",
      ExpressionAttributeValues: { ":user": userId, ":now": now.toISOString() },
    },
  };
  return (await transact([spend, replacePassword(userId, resetHash, passwordHash)])).length === 0;
}

/** The write that stores a reset token, beside that which gives it to its user. */
export function putResetToken(userId: number, hash: string, now: Date): TransactionWrite {
  const validTo = new Date(now.getTime() + resetTokenLifeMinutes * 60_000);
  const life = { valid_to: validTo.toISOString(), expires_at: epochSeconds(validTo) };
  return { Put: { Item: resetTokens.encode({ ...resetTokenKey(hash), user_id: userId, ...life }) } };
}

function resetTokenKey(hash: string): Key {
  return { pk: `RESET#${hash}`, sk: "RESET" };
}
