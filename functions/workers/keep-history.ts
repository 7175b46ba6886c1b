import { forStream } from "../../shared/worker.ts";
import { keepHistory } from "./write-history.ts";

/** Records the history of changes of records, users and sessions. */
export const handler = forStream(keepHistory);
