import type { NoticeKind } from "../../domain/records/notification-kinds.ts";
import { updateIf } from "../table/conditional-writes.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import type { Key } from "../table/table.ts";
import { userKey } from "./users.ts";

/** What a user is notified of on every channel, and when it happened. */
export interface Notice {
  readonly about: NoticeKind;
  readonly at: Date;
}

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

/** Access pattern NT1: how far a user has been notified of something. One read unit (D14, D44). */
export async function findNoticeProgress(userId: number, notice: Notice): Promise<NoticeProgress> {
  const stored = await notices.find(noticeKey(userId, notice), { consistent: true });
  return { served: stored?.served ?? [], sms_counted: stored?.sms_counted ?? false };
}

/** Access pattern NT2: stores that, so that no channel is used twice and no SMS counted twice. One write unit (D11, D14). */
export async function keepNoticeProgress(
  userId: number,
  notice: Notice,
  { served, sms_counted }: NoticeProgress,
  now: Date,
): Promise<void> {
  const set = { served, sms_counted, expires_at: epochSecondsAfter(now, rememberedDays) };
  await updateIf(noticeKey(userId, notice), { set });
}

/** What a stored notice was about, and when. */
export function noticeOf({ sk }: Key): { readonly about: string; readonly at: string } {
  const [, at = "", about = "password_changed"] = sk.split("#");
  return { about, at };
}

/** Those of new passwords, which came first, do not say what they are about. */
function noticeKey(userId: number, { about, at }: Notice): Key {
  const suffix = about === "password_changed" ? "" : `#${about}`;
  return { pk: userKey(userId).pk, sk: `NOTICE#${at.toISOString()}${suffix}` };
}
