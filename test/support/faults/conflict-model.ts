import { vi } from "vitest";
import { chanceOf } from "../../../infra/local/demo/demo-chance.ts";
import { Refusal } from "../../../shared/domain/refusal.ts";
import type { HeldItems, Holding } from "./held-items.ts";

/** What became of many changes that were made at once. */
export interface Contention {
  readonly atOnce: number;
  /** Milliseconds until half of those that were written had been, and so on. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Those that were refused as `busy`. */
  readonly refused: number;
  /** Percent of all transactions that were cancelled. */
  readonly cancelled: number;
}

/** In a minute of the model each change has an end. */
const longestMs = 60_000;

/**
 * Makes changes at once under a clock and a chance of the model's own: what is measured follows from the seed, whatever else the
 * machine does. The transactions take their time and reach no table, and nothing else may be asked of the table or the network.
 */
export async function modelContention(
  held: HeldItems,
  atOnce: number,
  change: (at: number) => Promise<unknown>,
  { seed = 1, ...holding }: Holding = {},
): Promise<Contention> {
  const chance = chanceOf(seed);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "Date", "performance"] });
  const random = vi.spyOn(Math, "random").mockImplementation(() => chance.between(0, 2 ** 30 - 1) / 2 ** 30);
  try {
    held.begin({ ...holding, seed, isModel: true });
    const began = performance.now();
    const changes = Promise.allSettled(
      Array.from({ length: atOnce }, async (_, at) => {
        await change(at);
        return performance.now() - began;
      }),
    );
    await vi.advanceTimersByTimeAsync(longestMs);
    const ends = await changes;
    for (const end of ends) if (end.status === "rejected" && !isBusy(end.reason)) throw end.reason;
    const times = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : [])).toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(times[Math.ceil(times.length * share) - 1] ?? Number.NaN);
    const { transactions, cancelled } = held.figures;
    return {
      atOnce,
      p50: at(0.5),
      p95: at(0.95),
      p99: at(0.99),
      refused: atOnce - times.length,
      cancelled: Math.round((100 * cancelled) / transactions),
    };
  } finally {
    held.end();
    random.mockRestore();
    vi.useRealTimers();
  }
}

/** True for the refusal of a write that others' transactions did not let through. */
function isBusy(error: unknown): boolean {
  return error instanceof Refusal && error.code === "busy";
}
