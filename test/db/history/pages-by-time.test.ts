import { expect, test } from "vitest";
import { findHistory, type HistoryPage } from "../../../shared/db/history/find-history.ts";
import { putHistory } from "../../support/records/history.ts";
import { useService } from "../../support/service/service.ts";

useService();
const now = new Date("2026-05-01T12:00:00.000Z");

test("D41: pages of any size give all changes of more days and shards than a page looks at, once and in order", async () => {
  const at = (day: number, hour: number) => new Date(Date.UTC(2026, 3, 30 - 2 * day, hour)).toISOString();
  const days = Array.from({ length: 25 }, (_, day) => day);
  // Several records a day are in several of its shards; those of the later hours are not in the same ones each day.
  const changes = days.flatMap((day) =>
    Array.from({ length: 6 }, (_, hour) => ({ id: day * 7 + hour, at: at(day, hour) })),
  );
  await putHistory(changes);
  const expected = changes
    .map((each) => each.at)
    .toSorted()
    .reverse();
  for (const limit of [100, 13, 1]) {
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page: HistoryPage = await findHistory({ limit, after, now });
      expect(page.changes.length).toBeLessThanOrEqual(limit);
      found.push(...page.changes.map((each) => each.at));
      after = page.after;
    } while (after !== undefined);
    expect(found).toEqual(expected);
  }
});
