import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { type Key, updateIf } from "../table/table.ts";
import { updateOf } from "../table/updates.ts";
import { userKey } from "./users.ts";

/** A way to a user (D8). */
export type NoticeChannel = "email" | "sms";

/** How far a notice has been sent to its user, as the table has it. */
interface StoredNotice extends StoredItem {
  readonly served: readonly NoticeChannel[];
  readonly expires_at: number;
}

/** The entity of notices. */
export const notices = defineEntity<StoredNotice>(
  "notice",
  ({ pk, sk }) => pk.startsWith("USER#") && sk.startsWith("NOTICE#"),
);

/** As long as a queue may bring a message again. */
const rememberedDays = 14;

/** Access pattern NT1: the channels by which a user was notified of a new password. One read unit (D14). */
export async function findServedChannels(userId: number, changedAt: Date): Promise<readonly NoticeChannel[]> {
  return (await notices.find(noticeKey(userId, changedAt), { consistent: true }))?.served ?? [];
}

/** Access pattern NT2: stores the channels by which a user was notified, so that none is used twice. One write unit (D14). */
export async function keepServedChannels(
  userId: number,
  changedAt: Date,
  served: readonly NoticeChannel[],
  now: Date,
): Promise<void> {
  const set = { served, expires_at: epochSecondsAfter(now, rememberedDays) };
  await updateIf(updateOf(noticeKey(userId, changedAt), { set }));
}

function noticeKey(userId: number, changedAt: Date): Key {
  return { pk: userKey(userId).pk, sk: `NOTICE#${changedAt.toISOString()}` };
}
