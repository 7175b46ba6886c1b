import { hashRefreshToken, type RefreshToken, refreshTokenLifeDays } from "../../domain/accounts/refresh-token.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSeconds } from "../table/expiry.ts";
import { deleteItemAt, type Key, putIf, updateIf } from "../table/table.ts";
import { updateOf } from "../table/updates.ts";

/** A session family as the table has it. */
export interface StoredSession extends StoredItem {
  /** The hash of the refresh token that counts. */
  readonly refresh_hash: string;
  /** The user's epoch it was opened in; a user whose epoch has risen since has left it (D14). */
  readonly epoch: number;
  readonly valid_to: string;
  readonly expires_at: number;
}

/** The entity of session families. */
export const sessions = defineEntity<StoredSession>(
  "session",
  ({ pk, sk }) => pk.startsWith("USER#") && sk.startsWith("SESSION#"),
);

const msPerDay = 86_400_000;

/** Key of a session family. */
export function sessionKey(userId: number, family: string): Key {
  return { pk: `USER#${userId}`, sk: `SESSION#${family}` };
}

/** Access pattern S1: opens a session family with its first refresh token. One write unit. */
export async function openSession(userId: number, family: string, token: string, epoch: number, now: Date) {
  const opened = { ...sessionKey(userId, family), refresh_hash: hashRefreshToken(token), epoch, ...expiry(now) };
  await putIf({ Item: sessions.encode(opened), ConditionExpression: "attribute_not_exists(pk)" });
}

/** Access pattern S4: a session family until it ends, expired or not. One read unit. */
export function findSession(userId: number, family: string): Promise<StoredSession | undefined> {
  return sessions.find(sessionKey(userId, family), { consistent: true });
}

/** Access pattern S2: spends a refresh token that still counts for the next one of its family. One write unit. */
export async function rotateSession(
  spent: RefreshToken,
  next: string,
  now: Date,
): Promise<Pick<StoredSession, "epoch"> | undefined> {
  const condition = {
    where: { refresh_hash: spent.hash },
    when: "valid_to > :now",
    values: { ":now": now.toISOString() },
  };
  const set = { refresh_hash: hashRefreshToken(next), ...expiry(now) };
  const item = await updateIf(updateOf(sessionKey(spent.userId, spent.family), { ...condition, set }));
  return item && { epoch: sessions.decode(item).epoch };
}

/** Access pattern S3: ends a session family, if there is one. One write unit. */
export async function endSession(userId: number, family: string): Promise<void> {
  await deleteItemAt(sessionKey(userId, family));
}

function expiry(now: Date) {
  const validTo = new Date(now.getTime() + refreshTokenLifeDays * msPerDay);
  return { valid_to: validTo.toISOString(), expires_at: epochSeconds(validTo) };
}
