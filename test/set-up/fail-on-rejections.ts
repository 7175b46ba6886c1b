import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach } from "vitest";

const unhandled: unknown[] = [];

/** Keeps a rejection that nobody handled. vitest reports it too, for the run, but leaves the test green that it came up in. */
function keepRejection(reason: unknown): void {
  unhandled.push(reason);
}

process.on("unhandledRejection", keepRejection);

afterEach(async () => {
  // Node reports a rejection when the turn of its event loop ends without anybody having handled it.
  await setImmediate();
  const reasons = unhandled.splice(0);
  if (reasons.length > 0) throw new AggregateError(reasons, `Nobody handled a rejection: ${reasons.join("; ")}`);
});
// A worker runs many files, each with hooks of its own.
afterAll(() => void process.off("unhandledRejection", keepRejection));
