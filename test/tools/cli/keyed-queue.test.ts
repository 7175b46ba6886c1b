import { expect, test } from "vitest";
import { createKeyedQueue } from "../../../infra/tools/cli/keyed-queue.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("work of one key keeps its order; no more than the capacity is taken on at once", async () => {
  const queue = createKeyedQueue(4);
  const done: Record<string, number[]> = { a: [], b: [], c: [] };
  let accepted = 0;
  let ended = 0;
  for (let index = 0; index < 60; index += 1) {
    const key = "abc".charAt(index % 3);
    accepted += 1;
    await queue.add(key, async () => {
      for (let pause = index % 5; pause > 0; pause -= 1) await turn();
      done[key]?.push(index);
      ended += 1;
    });
    expect(accepted - ended).toBeLessThan(4);
  }
  await queue.finish();
  for (const order of Object.values(done)) expect(order).toEqual([...order].sort((one, other) => one - other));
  expect(ended).toBe(60);
});

test("after a failure nothing more is begun, what runs is waited for, and the failure is thrown", async () => {
  const queue = createKeyedQueue(8);
  let ended = 0;
  await queue.add("a", () => Promise.reject(new Error("down")));
  await queue.add("b", async () => {
    await turn();
    ended += 1;
  });
  await turn();
  const late = queue.add("c", async () => {
    ended += 10;
  });
  await expect(late).rejects.toThrow("down");
  await expect(queue.finish()).rejects.toThrow("down");
  await queue.settle();
  expect(ended).toBe(1);
});
