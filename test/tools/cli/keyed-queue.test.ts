import { expect, test } from "vitest";
import { createKeyedQueue } from "../../../infra/tools/cli/keyed-queue.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("after a failure nothing more is begun, what runs is waited for, and the failure is thrown", async () => {
  const queue = createKeyedQueue(8);
  let ended = 0;
  await queue.add("a", async () => {
    await turn();
    throw new Error("down");
  });
  await queue.add("b", async () => {
    await turn();
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
