import { expect, test } from "vitest";
import { entities } from "../../shared/db/entities.ts";
import { deliverNotification } from "../../shared/db/notifications/notification-delivery.ts";
import { ownData } from "../../shared/db/own-data.ts";
import { firstPlace, type PageSize, readOwnData } from "../../shared/db/own-data-pages.ts";
import { putHistory } from "../support/records/history.ts";
import { notificationLine, userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { useService } from "../support/service/service.ts";

useService();

test("D44: it is decided of every kind of item whether it is in a user's own data, and why not", () => {
  const names = (kinds: Iterable<{ readonly name: string }>) => [...kinds].map(({ name }) => name).toSorted();
  expect(names(ownData.keys())).toEqual(names(entities));
  for (const [{ name }, decision] of ownData) {
    if ("leftOut" in decision) expect(decision.leftOut, name).toMatch(/^\w.{9,}/);
  }
});

test("D44: pages of any size have every line once and in order, none above its bytes", async () => {
  const params = { type: "message", text: 'a "quoted" \\ line\n'.repeat(40) };
  await store([userLine(10), ...Array.from({ length: 30 }, (_, at) => notificationLine(at + 1, 10, { params }))]);
  // Its items have no line.
  const event = { eventId: "event-1", record_type: "Job", record_id: 1, params: { type: "published" } };
  await deliverNotification([10], event, new Date());
  const whole = await readAll(10, { bytes: 4_000_000, reads: 5 });
  expect(whole.pages).toBe(1);
  expect(whole.lines).toHaveLength(32);
  for (const bytes of [1, 1_500, 10_000]) {
    const cut = await readAll(10, { bytes, reads: 5 });
    expect(cut.lines).toEqual(whole.lines);
    expect(cut.pages).toBeGreaterThan(3);
    expect(cut.largest).toBeLessThanOrEqual(Math.max(bytes, cut.largestLine));
  }
});

test("D44: the history of a user's account is in it, behind the rest and without who made each change", async () => {
  await store([userLine(11)]);
  const kept = { type: "user", id: 11, before: { job_position: null }, after: { job_position: "Planner" } } as const;
  await putHistory([
    kept,
    { ...kept, id: 12 },
    { ...kept, type: "timesheet" },
    { ...kept, by: undefined, at: "2026-05-02T09:00:00.000Z" },
  ]);
  const changed = { type: "change", of: "user", did: "updated", before: kept.before, after: kept.after };
  for (const bytes of [1, 4_000_000]) {
    const { lines } = await readAll(11, { bytes, reads: 5 });
    expect(lines).toEqual([
      expect.objectContaining({ type: "user", id: 11 }),
      { ...changed, at: "2026-05-01T09:00:00.000Z", operation: "bulk-update-timesheets" },
      { ...changed, at: "2026-05-02T09:00:00.000Z", operation: null },
    ]);
  }
});

/** All pages of a user's own data; their largest size, and that of a line, as Lambda sends them. */
async function readAll(userId: number, size: PageSize) {
  const lines: object[] = [];
  const sizes: number[] = [];
  let place: string | undefined = firstPlace;
  while (place !== undefined) {
    const page = await readOwnData(userId, place, [], size);
    sizes.push(page.lines.reduce((sum, line) => sum + sentBytes(line), 0));
    lines.push(...page.lines);
    place = page.place;
  }
  const largestLine = Math.max(...lines.map(sentBytes));
  return { lines, pages: sizes.length, largest: Math.max(...sizes), largestLine };
}

function sentBytes(line: object): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(line)));
}
