import { countChanges } from "../../shared/db/lists/update-totals.ts";
import { forStream } from "../../shared/workers/stream-worker.ts";

/** Keeps the totals of the lists, and what a search by number finds, in line with the records that changed. */
export const handler = forStream(async (changes, now) => {
  await countChanges(changes, now);
});
