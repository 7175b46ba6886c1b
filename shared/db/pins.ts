import { type PinSeal, triesPerPin } from "../domain/pin.ts";
import { resetTokenLifeMinutes } from "../domain/reset-token.ts";
import { loginKey, pinKey, recordKey, resetTokenKey } from "./keys.ts";
import { type Item, updateIf } from "./table.ts";
import { type TransactionWrite, transact } from "./transaction.ts";

/** The request that a pin answers: a newer one replaces an older one (D9, D12). */
export interface PinRequest {
  readonly login: string;
  readonly requestId: string;
  readonly requestedAt: Date;
  readonly validTo: Date;
}

/** A pin that may be compared: one of its tries has been spent on it. */
export interface PinTry {
  readonly userId: number;
  readonly seal: PinSeal;
}

const keepSpentDays = 1;

/**
 * Access pattern P1: stores the pin of a request over the pin of an older request, or over its own unspent one when the
 * request is worked on again. False when a newer request, or the spent pin of this one, stands (D12).
 */
export async function storePin(request: PinRequest, userId: number, seal: PinSeal): Promise<boolean> {
  const stored = await updateIf({
    Key: pinKey(request.login),
    ConditionExpression:
      "attribute_not_exists(pk) OR requested_at < :requestedAt OR (request_id = :requestId AND attribute_not_exists(spent_at))",
    UpdateExpression:
      "SET user_id = :userId, hmac = :hmac, salt = :salt, request_id = :requestId, requested_at = :requestedAt, " +
      "valid_to = :validTo, tries = :none, expires_at = :expiresAt REMOVE spent_at",
    ExpressionAttributeValues: {
      ":userId": userId,
      ":hmac": seal.hmac,
      ":salt": seal.salt,
      ":requestId": request.requestId,
      ":requestedAt": request.requestedAt.toISOString(),
      ":validTo": request.validTo.toISOString(),
      ":none": 0,
      ":expiresAt": epochSeconds(request.validTo) + keepSpentDays * 86_400,
    },
  });
  return stored !== undefined;
}

/**
 * Access pattern P2: spends one of the five tries of a login's live pin, before anything is compared (D10). Undefined
 * when there is no pin, or it is expired, spent or tried too often.
 */
export async function tryPin(login: string, now: Date): Promise<PinTry | undefined> {
  const pin = await updateIf({
    Key: pinKey(login),
    ConditionExpression: "tries < :most AND valid_to > :now AND attribute_not_exists(spent_at)",
    UpdateExpression: "ADD tries :one",
    ExpressionAttributeValues: { ":most": triesPerPin, ":now": now.toISOString(), ":one": 1 },
  });
  return pin && toTry(pin);
}

/**
 * Access pattern P3: spends a pin that fits, confirms the login and stores the reset token that replaces the user's
 * earlier one, all or nothing. False when the pin was spent or replaced meanwhile (D13, D14).
 */
export async function spendPin(
  login: string,
  { userId, seal }: PinTry,
  resetHash: string,
  now: Date,
): Promise<boolean> {
  const failed = await transact([
    ...confirmation(login, userId, seal, now),
    ...resetTokenWrites(userId, resetHash, now),
  ]);
  return failed.length === 0;
}

function confirmation(login: string, userId: number, seal: PinSeal, now: Date): TransactionWrite[] {
  return [
    {
      Update: {
        Key: pinKey(login),
        ConditionExpression: "hmac = :hmac AND attribute_not_exists(spent_at)",
        UpdateExpression: "SET spent_at = :now",
        ExpressionAttributeValues: { ":hmac": seal.hmac, ":now": now.toISOString() },
      },
    },
    {
      Update: {
        Key: loginKey(login),
        ConditionExpression: "user_id = :userId",
        UpdateExpression: "SET confirmed_at = if_not_exists(confirmed_at, :now)",
        ExpressionAttributeValues: { ":userId": userId, ":now": now.toISOString() },
      },
    },
  ];
}

function resetTokenWrites(userId: number, resetHash: string, now: Date): TransactionWrite[] {
  const validTo = new Date(now.getTime() + resetTokenLifeMinutes * 60_000);
  return [
    {
      Update: {
        Key: recordKey("USER", userId),
        ConditionExpression: "attribute_exists(pk)",
        UpdateExpression: "SET reset_hash = :hash ADD revision :one",
        ExpressionAttributeValues: { ":hash": resetHash, ":one": 1 },
      },
    },
    {
      Put: {
        Item: {
          ...resetTokenKey(resetHash),
          user_id: userId,
          valid_to: validTo.toISOString(),
          expires_at: epochSeconds(validTo),
        },
      },
    },
  ];
}

function toTry(item: Item): PinTry {
  return { userId: item.user_id as number, seal: { hmac: item.hmac as string, salt: item.salt as string } };
}

function epochSeconds(moment: Date): number {
  return Math.ceil(moment.getTime() / 1000);
}
