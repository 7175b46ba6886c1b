import * as v from "valibot";
import { id } from "../contract/values.ts";
import { settings } from "../run/settings.ts";
import { queueMessages, requestIdField } from "./queue.ts";

/** A notification to push to its user's devices. */
export const pushMessage = v.object({ userId: id, notificationId: id, requestId: requestIdField });

/** Queues pushes (D29). Fails unless all are queued. */
export function queuePushes(pushes: readonly v.InferOutput<typeof pushMessage>[]): Promise<void> {
  return queueMessages(settings.queueUrl("pushes"), pushes);
}
