import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, vi } from "vitest";
import { chanceOf } from "../../../infra/local/demo/demo-chance.ts";
import { tableClient } from "../../../shared/db/table/table.ts";

/** A clock and a chance of a test's own, for what waits and draws by chance. */
export interface ModelClock {
  /** Carries out work under it: pauses take no time, and what is drawn follows from the seed. Gives what the work gives. */
  run<T>(work: () => Promise<T>, seed?: number): Promise<T>;
}

/** Turns of the event loop after which nothing follows any more from what was answered. */
const quietTurns = 4;

/**
 * A clock that stands still while the table is asked, and goes on to the next pause's end once nothing else is to be done: how long the
 * engine or the machine takes is no part of what is measured. Call it after `useService`.
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
    async run(work, seed = 1) {
      const chance = chanceOf(seed);
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
      const random = vi.spyOn(Math, "random").mockImplementation(() => chance.between(0, 2 ** 30 - 1) / 2 ** 30);
      try {
        let isDone = false;
        const outcome = Promise.resolve(work()).finally(() => {
          isDone = true;
        });
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
