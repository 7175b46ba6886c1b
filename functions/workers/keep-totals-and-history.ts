import { sessions } from "../../shared/db/accounts/sessions.ts";
import { users } from "../../shared/db/accounts/users.ts";
import { keepHistory } from "../../shared/db/history/keep-history.ts";
import { countChanges } from "../../shared/db/lists/update-totals.ts";
import { isTransientError } from "../../shared/db/table/transient-errors.ts";
import { forStream } from "../../shared/workers/stream-worker.ts";

/**
 * Updates the totals of the lists and the search entries after changes of records. Also records the history of these,
 * of users and of sessions.
 */
export const handler = forStream(async (changes, now) => {
  const records = changes.filter(({ key }) => !users.matches(key) && !sessions.matches(key));
  // Waits for both before it throws. A transient error comes first: Lambda then repeats the batch, and neither loses anything.
  const ends = await Promise.allSettled([countChanges(records, now), keepHistory(changes)]);
  const errors = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  if (errors.length > 0) throw errors.find(isTransientError) ?? errors[0];
});
