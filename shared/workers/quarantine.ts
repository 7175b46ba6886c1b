import { queueMessages } from "../messaging/queue.ts";
import { settings } from "../settings.ts";

/** A change of the table that a stream consumer could not take, for people to look into. */
export interface QuarantinedChange {
  /** The consumer that could not take it. */
  readonly operation: string;
  readonly pk: string;
  readonly sk: string;
  readonly eventId: string;
  readonly sequenceNumber: string;
  /** What failed, without the item's content. */
  readonly reason: string;
}

/** Moves a change to the quarantine queue, where it blocks no other, with all that is needed to find it again. */
export function quarantine(change: QuarantinedChange): Promise<void> {
  return queueMessages(settings.quarantineQueueUrl(), [change]);
}
