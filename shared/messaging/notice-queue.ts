import * as v from "valibot";
import { id } from "../contract/values.ts";
import { settings } from "../run/settings.ts";
import { messageTime, queueMessages, requestIdField } from "./queue.ts";

/** A request to notify a user, on every channel, of a new password. */
export const noticeMessage = v.object({ userId: id, changedAt: messageTime, requestId: requestIdField });

/** Queues notices to users (D14); fails unless all of them are queued. */
export function queueNotices(notices: readonly v.InferOutput<typeof noticeMessage>[]): Promise<void> {
  return queueMessages(settings.queueUrl("notices"), notices);
}
