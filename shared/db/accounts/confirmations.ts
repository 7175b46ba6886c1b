import { resetTokenLifeMinutes } from "../../domain/accounts/reset-token.ts";
import { epochSeconds } from "../table/expiry.ts";
import { loginKey, pinKey, recordKey, resetTokenKey } from "../table/keys.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { firstRevision } from "../writes/changes.ts";
import type { PinTry, Registration } from "./pins.ts";

/**
 * Access pattern P3: spends a pin that fits, confirms the login and stores the reset token that replaces the user's
 * earlier one, all or nothing. False when the pin was spent or replaced meanwhile (D13, D14). One transaction of 4 writes.
 */
export async function spendPin(login: string, pin: PinTry, resetHash: string, now: Date): Promise<boolean> {
  const userId = pin.user.id;
  const failed = await transact([
    spend(login, pin, now),
    {
      Update: {
        Key: loginKey(login),
        ConditionExpression: "user_id = :userId",
        UpdateExpression: "SET confirmed_at = if_not_exists(confirmed_at, :now)",
        ExpressionAttributeValues: { ":userId": userId, ":now": now.toISOString() },
      },
    },
    {
      Update: {
        Key: recordKey("USER", userId),
        ConditionExpression: "attribute_exists(pk)",
        UpdateExpression: "SET reset_hash = :hash REMOVE silent ADD revision :one",
        ExpressionAttributeValues: { ":hash": resetHash, ":one": 1 },
      },
    },
    putResetToken(userId, resetHash, now),
  ]);
  return failed.length === 0;
}

/**
 * Access pattern P4: spends the pin of a registration and makes its user, all or nothing. False when the pin was spent or
 * replaced, or the login was taken meanwhile (D16). One transaction of 4 writes.
 */
export async function spendRegistrationPin(
  login: string,
  pin: PinTry,
  { password_hash }: Registration,
  resetHash: string,
  now: Date,
): Promise<boolean> {
  const isNew = { ConditionExpression: "attribute_not_exists(pk)" };
  const { id, ...record } = pin.user;
  const user = { ...recordKey("USER", id), id, company_id: null, role: record.role, record, password_hash };
  const failed = await transact([
    spend(login, pin, now),
    { Put: { Item: { ...loginKey(login), user_id: id, confirmed_at: now.toISOString() }, ...isNew } },
    { Put: { Item: { ...user, reset_hash: resetHash, revision: firstRevision() }, ...isNew } },
    putResetToken(id, resetHash, now),
  ]);
  return failed.length === 0;
}

function spend(login: string, { seal }: PinTry, now: Date): TransactionWrite {
  return {
    Update: {
      Key: pinKey(login),
      ConditionExpression: "hmac = :hmac AND attribute_not_exists(spent_at)",
      UpdateExpression: "SET spent_at = :now REMOVE registration, failures, streak",
      ExpressionAttributeValues: { ":hmac": seal.hmac, ":now": now.toISOString() },
    },
  };
}

function putResetToken(userId: number, resetHash: string, now: Date): TransactionWrite {
  const validTo = new Date(now.getTime() + resetTokenLifeMinutes * 60_000);
  const Item = {
    ...resetTokenKey(resetHash),
    user_id: userId,
    valid_to: validTo.toISOString(),
    expires_at: epochSeconds(validTo),
  };
  return { Put: { Item } };
}
