import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { busy, retryRaces, retryStaleReads } from "../../shared/db/table/conflicts.ts";
import { Refusal } from "../../shared/domain/refusal.ts";

const root = join(import.meta.dirname, "../..");

afterEach(() => void vi.restoreAllMocks());

test("D18: after each lost race there is a pause with jitter, up to twice as long as the one before", async () => {
  const waits: unknown[] = [];
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((resume: () => void, ms: number) => {
    waits.push(ms);
    resume();
  }) as never);
  const pace = { races: 8, firstPauseMs: 1, longestPauseMs: 50 };
  await expect(retryRaces(async () => undefined, pace)).rejects.toMatchObject({ code: "busy" });
  expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 25, 25]);
});

test("D18: a first race that is busy is not run again, as it may have written; what it refuses is decided again", async () => {
  const races: boolean[] = [];
  const run = (refusal: Refusal) =>
    retryStaleReads(async (consistent) => {
      races.push(consistent);
      if (!consistent) throw refusal;
      return "decided";
    });
  await expect(run(busy())).rejects.toMatchObject({ code: "busy" });
  expect(races).toEqual([false]);
  expect(await run(new Refusal("too_many_requests", "Later"))).toBe("decided");
  expect(races).toEqual([false, false, true]);
});

test("D18: what is tried again after others were faster is tried by the one helper", () => {
  // The client package runs in apps, and repeats requests, not writes of the table.
  const files = globSync("{functions,shared}/**/*.ts", { cwd: root, exclude: ["shared/client/**"] });
  const loops = files.filter((file) =>
    /for \(;;\)|for \(let \w+ = [01]; ;|while \(true\)|for \(let (attempt|race|round|sweep|tries)\b/.test(
      readFileSync(join(root, file), "utf8"),
    ),
  );
  // The others ask for what a call left undone, or go on from page to page.
  expect(loops.toSorted()).toEqual([
    "shared/db/lists/dated-lists.ts",
    "shared/db/table/batch-reads.ts",
    "shared/db/table/batch-writes.ts",
    "shared/db/table/conflicts.ts",
    "shared/messaging/queue.ts",
  ]);
});
