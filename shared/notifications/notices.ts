import { defineEntity, type StoredItem } from "../table/entity.ts";

/** The progress of a notice of a new password, as stored. The key contains the time of the password in ISO 8601. */
interface StoredNotice extends StoredItem {
  /** The channels that need no repetition, and `countedSms`; absent before the first. */
  readonly served?: readonly string[];
  /** Present while a worker has the lease, in ISO 8601. */
  readonly held_until?: string;
  readonly expires_at: number;
}

/** The step of a notice that counts its SMS. It is served once, however often the SMS is tried (D11). */
export const countedSms = "sms counted";

/** The entity of the progress of notices. */
export const notices = defineEntity<StoredNotice>("notice", ({ sk }) => sk.startsWith("NOTICE#"));
