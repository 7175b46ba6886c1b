import { forStream } from "../../shared/workers/stream-worker.ts";
import { keepHistory } from "./write-history.ts";

/** Records the history of changes of records, users and sessions. */
export const handler = forStream(keepHistory);
