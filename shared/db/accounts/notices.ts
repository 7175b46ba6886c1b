import { updateIf } from "../table/conditional-writes.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import type { Key } from "../table/table.ts";
import { userKey } from "./users.ts";

/** A way to a user (D8). */
export type NoticeChannel = "email" | "sms";

/** How far a notice has been sent to its user. */
export interface NoticeProgress {
  /** The channels that need nothing more. */
  readonly served: readonly NoticeChannel[];
  /** True once its SMS is counted against the stage's ceilings (D11). */
  readonly sms_counted: boolean;
}

/** How far a notice has been sent, as the table has it. */
interface StoredNotice extends StoredItem, NoticeProgress {
  readonly expires_at: number;
}

/** The entity of notices. */
export const notices = defineEntity<StoredNotice>(
  "notice",
  ({ pk, sk }) => pk.startsWith("USER#") && sk.startsWith("NOTICE#"),
);

/** As long as a queue may bring a message again. */
const rememberedDays = 14;

/** Access pattern NT1: how far a user has been notified of a new password. One read unit (D14). */
export async function findNoticeProgress(userId: number, changedAt: Date): Promise<NoticeProgress> {
  const stored = await notices.find(noticeKey(userId, changedAt), { consistent: true });
  return { served: stored?.served ?? [], sms_counted: stored?.sms_counted ?? false };
}

/** Access pattern NT2: stores that, so that no channel is used twice and no SMS counted twice. One write unit (D11, D14). */
export async function keepNoticeProgress(
  userId: number,
  changedAt: Date,
  { served, sms_counted }: NoticeProgress,
  now: Date,
): Promise<void> {
  const set = { served, sms_counted, expires_at: epochSecondsAfter(now, rememberedDays) };
  await updateIf(noticeKey(userId, changedAt), { set });
}

/** The moment of the new password that a stored notice is about, ISO 8601. */
export function noticedChange({ sk }: Key): string {
  return sk.slice("NOTICE#".length);
}

function noticeKey(userId: number, changedAt: Date): Key {
  return { pk: userKey(userId).pk, sk: `NOTICE#${changedAt.toISOString()}` };
}
