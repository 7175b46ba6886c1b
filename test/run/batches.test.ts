import { expect, test } from "vitest";
import { createTurns, readAhead } from "../../shared/run/batches.ts";

/** Gives numbers from 1 on, keeps in `asked` for which it was asked, and fails at one of them. */
async function* numbers(last: number, asked: number[], failsAt?: number): AsyncGenerator<number> {
  for (let next = 1; next <= last; next += 1) {
    asked.push(next);
    if (next === failsAt) throw new Error(`no ${next}`);
    yield next;
  }
}

test("what is read ahead comes in its order, and is asked for one before it is wanted, no more", async () => {
  const asked: number[] = [];
  const ahead: number[] = [];
  const given: number[] = [];
  for await (const each of readAhead(numbers(4, asked))) {
    given.push(each);
    await new Promise(setImmediate);
    ahead.push(asked.length - given.length);
  }
  expect(given).toEqual([1, 2, 3, 4]);
  expect(ahead).toEqual([1, 1, 1, 0]);
});

test("an error comes when the last before it is done with, and not at all to one who has stopped", async () => {
  const given: number[] = [];
  const readAll = async () => {
    for await (const each of readAhead(numbers(4, [], 3))) given.push(each);
  };
  await expect(readAll()).rejects.toThrow("no 3");
  expect(given).toEqual([1, 2]);
  for await (const each of readAhead(numbers(4, [], 3))) {
    await new Promise(setImmediate);
    if (each === 2) break;
  }
});

test("work of one key is done in turn, whether or not the piece before fails, and beside that of other keys", async () => {
  const inTurn = createTurns();
  const steps: string[] = [];
  const work = (name: string) => async () => {
    steps.push(`${name} begins`);
    await new Promise(setImmediate);
    steps.push(`${name} ends`);
    if (name === "a1") throw new Error("a1 fails");
    return name;
  };
  const ends = await Promise.allSettled([inTurn("a", work("a1")), inTurn("a", work("a2")), inTurn("b", work("b1"))]);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(ends[1]).toMatchObject({ value: "a2" });
  expect(steps.slice(0, 2)).toEqual(["a1 begins", "b1 begins"]);
  expect(steps.filter((step) => step.startsWith("a"))).toEqual(["a1 begins", "a1 ends", "a2 begins", "a2 ends"]);
});
