import { expect, test } from "vitest";
import { readAhead } from "../shared/batches.ts";

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
