import { beforeAll, expect, test, vi } from "vitest";
import { entityOf } from "../../../shared/entities.ts";
import type { Item } from "../../../shared/table/table.ts";
import { keyOf } from "../../../shared/table/table.ts";
import { useService } from "../../support/service/service.ts";
import { addition, loadRelease, type Release } from "./release.ts";
import { begin, goOn } from "./story.ts";
import { takeTurns } from "./turns.ts";

const service = useService();
let releases: Record<"old" | "next", Release>;

beforeAll(async () => {
  releases = { old: await loadRelease("old"), next: await loadRelease("next") };
  vi.useFakeTimers({ now: Date.now() - 3_600_000, toFake: ["Date"] });
  await releases.old.work("rotate-signing-key", {});
  vi.useRealTimers();
});

const orders = [
  ["old", "next", 100],
  ["next", "old", 200],
] as const;

test.each(orders)(
  "D38: %s release first, then the %s one: nothing is lost",
  async (first, second, base) => {
    const turns = await takeTurns([releases[first], releases[second]]);
    await goOn(turns, await begin(turns, base, service.inbox));

    // The test would prove nothing if the next release wrote few kinds of items.
    const items = turns.items();
    const kindsOf = (some: readonly Item[]) => new Set(some.map((item) => entityOf(keyOf(item))?.name)).size;
    expect(kindsOf(items.filter((item) => addition in item))).toBeGreaterThan(kindsOf(items) / 2);
    await releases[second].expectExactCounters();
  },
  60_000,
);
