import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, vi } from "vitest";
import { chanceOf } from "../../../infra/local/demo/demo-chance.ts";
import { tableClient } from "../../../shared/table/table.ts";

/** A clock and a chance of a test's own, for what waits and draws by chance. */
export interface ModelClock {
  /** Carries out work under this clock: pauses take no time, and random numbers are the same ones each time. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Turns of the event loop after which nothing follows any more from what was answered. */
const quietTurns = 4;

/**
 * A clock that stands still while the service asks the table, and moves to the end of the next pause once nothing else
 * is to be done. So no measure depends on the speed of the engine or the machine. Call it after `useService`.
 */
export function useModelClock(): ModelClock {
  const underWay = new Set<Promise<unknown>>();
  const name = "model-clock";
  const untilQuiet = async () => {
    for (let turns = 0; turns < quietTurns; turns += 1) {
      while (underWay.size > 0) {
        await Promise.race(underWay);
        turns = 0;
      }
      await nextTurn();
    }
  };
  beforeAll(() => {
    tableClient().middlewareStack.add(
      (next) => (args) => {
        const answer = next(args);
        const settled = answer.then(
          () => void underWay.delete(settled),
          () => void underWay.delete(settled),
        );
        underWay.add(settled);
        return answer;
      },
      { step: "deserialize", priority: "low", name },
    );
  });
  afterAll(() => void tableClient().middlewareStack.remove(name));
  return {
    async run(work) {
      const chance = chanceOf(1);
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
      const random = vi.spyOn(Math, "random").mockImplementation(() => chance.between(0, 2 ** 30 - 1) / 2 ** 30);
      try {
        let isDone = false;
        const outcome = work().finally(() => (isDone = true));
        outcome.catch(() => {});
        while (!isDone) {
          await untilQuiet();
          if (!isDone) await vi.advanceTimersToNextTimerAsync();
        }
        return await outcome;
      } finally {
        random.mockRestore();
        vi.useRealTimers();
      }
    },
  };
}
