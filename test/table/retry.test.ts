import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { Refusal } from "../../shared/contract/refusals.ts";
import { paces, retry } from "../../shared/table/retry.ts";

const root = join(import.meta.dirname, "../..");

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Lets pauses take no time but that of the clock, which says how long they were. */
async function timed<T>(work: () => Promise<T>): Promise<{ outcome: T; ms: number }> {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  const startedAt = performance.now();
  const [outcome] = await Promise.all([work(), vi.runAllTimersAsync()]);
  return { outcome, ms: performance.now() - startedAt };
}

test("D18: after each lost race there is a pause with jitter, up to twice as long as the one before", async () => {
  const waits: unknown[] = [];
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((resume: () => void, ms: number) => {
    waits.push(ms);
    resume();
  }) as never);
  const pace = { tries: 8, firstPauseMs: 1, longestPauseMs: 50 };
  await expect(retry(pace, async () => undefined)).rejects.toMatchObject({ code: "busy" });
  expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 25, 25]);
});

test("D18: what waits for others gives up within its time, in the way that its caller names", async () => {
  const tried: number[] = [];
  const pace = { withinMs: 500, firstPauseMs: 10, longestPauseMs: 10 };
  const attempt = async (count: number) => void tried.push(count);
  const { outcome, ms } = await timed(() => retry(pace, attempt, () => "given up"));
  expect([outcome, ms <= 500, tried.length > 2]).toEqual(["given up", true, true]);
  const failure = new Error("another");
  await expect(retry(paces.conflict, () => Promise.reject(failure))).rejects.toBe(failure);
  await expect(retry(paces.record, () => Promise.reject(new Refusal("record_not_found", "No")))).rejects.toMatchObject({
    code: "record_not_found",
  });
});

test("D18: an attempt gets the time that is left, so that what it repeats itself ends with the others", async () => {
  const left: number[] = [];
  const pace = { withinMs: 100, firstPauseMs: 20, longestPauseMs: 20 };
  const attempt = async (_: number, leftMs: number) => {
    left.push(leftMs);
    return retry(
      { ...pace, withinMs: leftMs },
      async () => undefined,
      () => undefined,
    );
  };
  const { outcome, ms } = await timed(() => retry(pace, attempt, () => "given up"));
  expect([outcome, ms <= 100, left[0]]).toEqual(["given up", true, 100]);
  expect(left.toSorted((one, other) => other - one)).toEqual(left);
});

test("D18: what is tried again after others were faster is tried by the one helper", () => {
  // The client package runs in apps, and repeats requests, not writes of the table.
  const files = globSync("{functions,shared}/**/*.ts", { cwd: root, exclude: ["shared/client/**"] });
  const loops = files.filter((file) =>
    /for \(;;\)|for \(let \w+ = [01]; ;|while \(true\)|for \(let (attempt|count|race|round|sweep|tries)\b/.test(
      readFileSync(join(root, file), "utf8"),
    ),
  );
  // The other repeats what a queue or a bus refused.
  expect(loops.toSorted()).toEqual(["shared/messages/queue.ts", "shared/table/retry.ts"]);
});
