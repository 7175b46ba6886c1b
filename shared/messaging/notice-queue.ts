import * as v from "valibot";
import { id } from "../contract/values.ts";
import { settings } from "../settings.ts";
import { moment, queueMessages, requestIdField } from "./queue.ts";

/** A request to notify a user, on every channel, that their password was changed. */
export const passwordNotice = v.object({ userId: id, changedAt: moment, requestId: requestIdField });

/** Queues notices of changed passwords (D14); fails unless all of them are queued. */
export function queuePasswordNotices(notices: readonly v.InferOutput<typeof passwordNotice>[]): Promise<void> {
  return queueMessages(settings.noticeQueueUrl(), notices);
}
