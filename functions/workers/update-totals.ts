import { sessions } from "../../shared/db/accounts/sessions.ts";
import { users } from "../../shared/db/accounts/users.ts";
import { keepHistory } from "../../shared/db/history/keep-history.ts";
import { isHeartbeat } from "../../shared/db/lists/heartbeats.ts";
import { countChanges } from "../../shared/db/lists/update-totals.ts";
import { raiseWatermark } from "../../shared/db/lists/watermark.ts";
import type { TableChange } from "../../shared/db/table/table-changes.ts";
import { isTransientError } from "../../shared/db/table/transient-errors.ts";
import { forStream } from "../../shared/workers/stream-worker.ts";

/**
 * Keeps the totals of the lists, and what a search by number finds, in line with the records that changed; beside that their
 * history, and that of users and sessions; then the watermark in line with the heartbeats among the changes.
 */
export const handler = forStream(async (changes, now) => {
  const { heartbeats = [], people = [], records = [] } = Object.groupBy(changes, kindOf);
  await countAndKeep(records, people, now);
  await raiseWatermark(heartbeats, now);
});

/** Both have ended when it throws. What may pass comes first: the batch then comes again, and loses neither. */
async function countAndKeep(records: readonly TableChange[], people: readonly TableChange[], now: Date): Promise<void> {
  const ends = await Promise.allSettled([countChanges(records, now), keepHistory([...records, ...people])]);
  const errors = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  if (errors.length > 0) throw errors.find(isTransientError) ?? errors[0];
}

function kindOf(change: TableChange): "heartbeats" | "people" | "records" {
  if (isHeartbeat(change)) return "heartbeats";
  return users.matches(change.key) || sessions.matches(change.key) ? "people" : "records";
}
