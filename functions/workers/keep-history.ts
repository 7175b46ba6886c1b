import { keepHistory } from "../../shared/db/history/keep-history.ts";
import { forStream } from "../../shared/workers/stream-worker.ts";

/** Records the history of changes of records, users and sessions. */
export const handler = forStream(keepHistory);
