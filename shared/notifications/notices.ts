import { defineEntity, type StoredItem } from "../table/entity.ts";
import type { Key } from "../table/table.ts";

/** The progress of a notice, as stored. The key contains what it is about, and its time in ISO 8601. */
interface StoredNotice extends StoredItem {
  /** The channels that need no repetition, and `countedSms`; absent before the first. */
  readonly served?: readonly string[];
  /** Present while a worker has the lease, in ISO 8601. */
  readonly held_until?: string;
  readonly expires_at: number;
}

/** The step of a notice that counts its SMS. It is served once, however often the SMS is tried (D11). */
export const countedSms = "sms counted";

/** What a notice is about, as its notification names it. */
export type NoticeKind = "password_changed" | "api_key_created";

/** Key of the progress of a user's notice, of an API key by its id: two may be made in a millisecond. */
export function noticeKey(userId: number, kind: NoticeKind, at: Date, keyId?: number): Key {
  const about = `NOTICE#${kind}#${at.toISOString()}`;
  return { pk: `USER#${userId}`, sk: keyId === undefined ? about : `${about}#${keyId}` };
}

/** The entity of the progress of notices. */
export const notices = defineEntity<StoredNotice>("notice", ({ sk }) => sk.startsWith("NOTICE#"));
