import * as v from "valibot";
import { id } from "../contract/values.ts";
import { settings } from "../settings.ts";
import { moment, queueMessage } from "./queue.ts";

/** A request to notify a user, on every channel, that their password was changed. */
export const passwordNotice = v.object({ userId: id, changedAt: moment });

/** Queues the notice of a changed password (D14). */
export function queuePasswordNotice(notice: v.InferOutput<typeof passwordNotice>): Promise<void> {
  return queueMessage(settings.noticeQueueUrl(), notice);
}
