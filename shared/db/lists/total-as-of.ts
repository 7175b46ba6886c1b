import { faultFields, log } from "../../logger.ts";
import { findWatermark } from "./watermark.ts";

/** How long what was read serves the lists of an environment. */
const keptMs = 15_000;

/** Undefined before the first list of an environment, which does not ask: a connection of its own would make that wait. */
let askedAt: number | undefined;
let known: Date | undefined;

/**
 * Begins to read up to when changes are counted, unless that was read within the last 15 seconds or this is the first list of an
 * environment, and gives what says it: asked when the list is there, undefined where that is not known, not yet, or the reading
 * failed, which is logged. No list waits for it. 0.5 read units at most four times a minute.
 */
export function followTotalAsOf(now: Date): () => Date | undefined {
  const isFirst = askedAt === undefined;
  askedAt ??= now.getTime() - keptMs;
  if (isFirst) return () => undefined;
  const sinceMs = now.getTime() - askedAt;
  if (sinceMs < 0 || sinceMs >= keptMs) {
    askedAt = now.getTime();
    known = undefined;
    void read();
  }
  return () => known;
}

async function read(): Promise<void> {
  try {
    known = await findWatermark();
  } catch (error) {
    log("warn", "totals of unknown age", faultFields(error));
  }
}
