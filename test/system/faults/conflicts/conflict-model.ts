import { Refusal } from "../../../../shared/domain/refusal.ts";
import type { HeldItems, Holding } from "../../../support/faults/held-items.ts";
import type { ModelClock } from "../../../support/faults/model-clock.ts";

/** The results of many changes that were made at once. */
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

/** Makes changes at once by the model's clock, whose transactions take their time and reach no table. */
export async function modelContention(
  { clock, held }: { readonly clock: ModelClock; readonly held: HeldItems },
  atOnce: number,
  change: (at: number) => Promise<unknown>,
  rewrite: Holding["rewrite"] = (write) => write,
): Promise<Contention> {
  held.begin({ rewrite, isModel: true });
  const ends = await clock.run(() => {
    const began = performance.now();
    const timed = async (_: unknown, at: number) => {
      await change(at);
      return performance.now() - began;
    };
    return Promise.allSettled(Array.from({ length: atOnce }, timed));
  });
  held.end();
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
}

/** True for the refusal of a write that others' transactions did not let through. */
export function isBusy(error: unknown): boolean {
  return error instanceof Refusal && error.code === "busy";
}
