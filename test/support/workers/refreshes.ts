import { handler as refresh } from "../../../functions/workers/refresh-totals.ts";
import { drain } from "./workers.ts";

/** Work that may wait for the totals of all companies, beside the worker that sums them. */
export async function withRefreshes<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  while (!isDone) await drain("TOTAL_QUEUE_URL", refresh);
  return work;
}
