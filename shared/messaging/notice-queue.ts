import * as v from "valibot";
import { id } from "../contract/values.ts";
import { settings } from "../settings.ts";
import { moment, queueMessages, requestIdField } from "./queue.ts";

const ofUser = { userId: id, requestId: requestIdField };
const passwordChanged = v.object({ ...ofUser, changedAt: moment });
const dataExported = v.object({ ...ofUser, exportedAt: moment });

/**
 * A request to notify a user, on every channel, of a new password or of an export of their data. Workers of a release that knows
 * passwords alone refuse the other, so that it comes again.
 */
export const noticeMessage = v.union([
  v.pipe(
    passwordChanged,
    v.transform(({ changedAt, ...rest }) => ({ ...rest, about: "password_changed" as const, at: changedAt })),
  ),
  v.pipe(
    dataExported,
    v.transform(({ exportedAt, ...rest }) => ({ ...rest, about: "data_exported" as const, at: exportedAt })),
  ),
]);

/** A notice on its way. */
type QueuedNotice = v.InferOutput<typeof passwordChanged> | v.InferOutput<typeof dataExported>;

/** Queues notices to users (D14, D44); fails unless all of them are queued. */
export function queueNotices(notices: readonly QueuedNotice[]): Promise<void> {
  return queueMessages(settings.noticeQueueUrl(), notices);
}
