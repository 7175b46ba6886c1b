import { hashRefreshToken, type RefreshToken, refreshTokenLifeDays } from "../../domain/accounts/refresh-token.ts";
import { epochSeconds } from "../table/expiry.ts";
import { sessionKey } from "../table/keys.ts";
import { deleteItemAt, putIf, updateIf } from "../table/table.ts";

/** A session as stored: the user's epoch it was opened in; a user whose epoch has risen since has left it (D14). */
export interface Session {
  readonly epoch: number;
}

const msPerDay = 86_400_000;

/** Access pattern S1: opens a session family with its first refresh token. One write unit. */
export async function openSession(userId: number, family: string, token: string, epoch: number, now: Date) {
  await putIf({
    Item: { ...sessionKey(userId, family), refresh_hash: hashRefreshToken(token), epoch, ...expiry(now) },
    ConditionExpression: "attribute_not_exists(pk)",
  });
}

/**
 * Access pattern S2: spends a refresh token for the next one of its family. Undefined when it is spent, expired or
 * unknown. One write unit.
 */
export async function rotateSession(spent: RefreshToken, next: string, now: Date): Promise<Session | undefined> {
  const { valid_to, expires_at } = expiry(now);
  const item = await updateIf({
    Key: sessionKey(spent.userId, spent.family),
    ConditionExpression: "refresh_hash = :spent AND valid_to > :now",
    UpdateExpression: "SET refresh_hash = :next, valid_to = :validTo, expires_at = :expiresAt",
    ExpressionAttributeValues: {
      ":spent": spent.hash,
      ":now": now.toISOString(),
      ":next": hashRefreshToken(next),
      ":validTo": valid_to,
      ":expiresAt": expires_at,
    },
  });
  return item && { epoch: Number(item.epoch) };
}

/** Access pattern S3: ends a session family, if there is one. One write unit. */
export async function endSession(userId: number, family: string): Promise<void> {
  await deleteItemAt(sessionKey(userId, family));
}

function expiry(now: Date) {
  const validTo = new Date(now.getTime() + refreshTokenLifeDays * msPerDay);
  return { valid_to: validTo.toISOString(), expires_at: epochSeconds(validTo) };
}
