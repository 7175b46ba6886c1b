import { handler as undoHandler } from "../../../functions/changes/undo-change.ts";
import { handler as payHandler } from "../../../functions/finance/bulk-update-timesheets.ts";
import { handler as adjustHandler } from "../../../functions/jobs/adjust-job-timers.ts";
import { handler as markHandler } from "../../../functions/notifications/mark-notifications.ts";
import { undoChange } from "../../../shared/contract/changes.ts";
import { bulkUpdateTimesheets } from "../../../shared/contract/finance.ts";
import { adjustJobTimers } from "../../../shared/contract/jobs.ts";
import { markNotifications } from "../../../shared/contract/notifications.ts";
import type { TestUser } from "../tokens/tokens.ts";
import { call, type TestAnswer } from "./call.ts";

/** Sent beside what is asked for. */
interface Sent {
  readonly key?: string | undefined;
  readonly passcode?: unknown;
}

const headersOf = ({ key }: Sent): Record<string, string> => (key === undefined ? {} : { "idempotency-key": key });

/** Marks timesheets as paid or pending. */
export function mark(as: TestUser, ids: readonly number[], state: string, sent: Sent = {}): Promise<TestAnswer> {
  const { passcode } = sent;
  const body = { timesheet: { timesheet_ids: ids, state, passcode } };
  return call(payHandler, bulkUpdateTimesheets, { as, body, headers: headersOf(sent) });
}

/** Sets the timer of jobs. */
export function adjust(as: TestUser, ids: readonly number[], timer: number, sent: Sent = {}): Promise<TestAnswer> {
  const body = { job: { job_ids: ids, timer } };
  return call(adjustHandler, adjustJobTimers, { as, body, headers: headersOf(sent) });
}

/** Undoes a change. */
export function undo(as: TestUser, id: string | undefined, sent: Sent = {}): Promise<TestAnswer> {
  const body = { change: { passcode: sent.passcode } };
  return call(undoHandler, undoChange, { as, parameters: { id: String(id) }, body, headers: headersOf(sent) });
}

/** Marks notifications as read or unread. */
export function markRead(as: TestUser, ids: readonly number[], read: boolean): Promise<TestAnswer> {
  return call(markHandler, markNotifications, { as, body: { notification: { notification_ids: ids, read } } });
}

/** Marks the notifications up to an id as read. */
export function markUpTo(as: TestUser, up_to_id: number): Promise<TestAnswer> {
  return call(markHandler, markNotifications, { as, body: { notification: { up_to_id, read: true } } });
}

/** Whether an answer is one to a repetition. */
export function isReplay({ headers }: Pick<TestAnswer, "headers">): boolean {
  return headers["idempotency-replayed"] === "true";
}
