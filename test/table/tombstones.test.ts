import { expect, inject, test } from "vitest";
import { findNotifications, findUnreadCounts, notificationKey } from "../../shared/notifications/notifications.ts";
import { recordKey } from "../../shared/table/table.ts";
import { useNetwork } from "../support/faults/network.ts";
import { costOf } from "../support/records/costs.ts";
import {
  companyLine,
  invoiceLine,
  jobLine,
  notificationLine,
  timesheetLine,
  userLine,
} from "../support/records/records.ts";
import { readRecord } from "../support/records/store.ts";
import { readItem, readPlace, write } from "../support/records/writes.ts";
import { usualFreshOrFull } from "../support/service/fresh-counts.ts";
import { fc } from "../support/service/properties.ts";
import { useService } from "../support/service/service.ts";

const days = 24 * 60 * 60_000;
// DynamoDB Local takes ten times as long, and is there for what the usual engine may get wrong rather than for depth.
const histories = inject("engineName") === "dynamodb-local" ? 15 : usualFreshOrFull(8, 15, 60);

useService();
const proxy = useNetwork();

test.each([
  ["company", companyLine(1), recordKey("COMPANY", 1)],
  ["user", userLine(1), recordKey("USER", 1)],
  ["timesheet", timesheetLine(1, 1), recordKey("TIMESHEET", 1)],
  ["invoice", invoiceLine(1, 1), recordKey("INVOICE", 1)],
  ["job", jobLine(1, 1), recordKey("JOB", 1)],
  ["notification", notificationLine(1, 9), notificationKey(9, 1)],
] as const)("D35: %s: what was removed at a version is not brought back by a line that comes late", async (type, line, key) => {
  const removal = { type, id: line.id, ...("user_id" in line && { user_id: line.user_id }), deleted: true };
  expect(await write({ ...line, version: 3 })).toBe("created");
  expect(await write({ ...removal, version: 5 })).toBe("removed");
  for (const version of [3, 4, 5]) expect(await write({ ...line, version })).toBe("stale");
  expect(await readItem(key)).toBeUndefined();
  expect(await write({ ...removal, version: 5 })).toBe("unchanged");
  expect(await write({ ...line, version: 6 })).toBe("created");
  for (const version of [4, 5]) expect(await write({ ...removal, version })).toBe("stale");
  expect(await readItem(key)).toMatchObject({ version: 6 });
});

test("D35: a version of null frees a record whose version was too high, stored or removed", async () => {
  const tooHigh = Number.MAX_SAFE_INTEGER;
  await write(jobLine(20, 1, { version: tooHigh, title: "Frozen" }));
  expect(await write(jobLine(20, 1, { version: 2 }))).toBe("stale");
  expect(await write({ type: "job", id: 20, version: null })).toBe("updated");
  expect(await readItem(recordKey("JOB", 20))).not.toHaveProperty("version");
  expect(await write(jobLine(20, 1, { version: 2, title: "Free" }))).toBe("updated");

  await write({ type: "job", id: 20, version: tooHigh, deleted: true });
  expect(await write(jobLine(20, 1, { version: 3 }))).toBe("stale");
  expect(await write(jobLine(20, 1, { version: null }))).toBe("created");
  expect(await readItem(recordKey("JOB", 20))).not.toHaveProperty("version");
  expect(await write(jobLine(20, 1, { version: 3, title: "Back" }))).toBe("updated");
});

test("D35: a removal with a version of null leaves a tombstone without one, and forgets one that is there", async () => {
  await write(jobLine(21, 1, { version: 7 }));
  expect(await write({ type: "job", id: 21, version: null, deleted: true })).toBe("removed");
  expect(await write(jobLine(21, 1, { version: 1 }))).toBe("created");
  await write({ type: "job", id: 21, version: 9, deleted: true });
  expect(await write({ type: "job", id: 21, version: null, deleted: true })).toBe("unchanged");
  expect(await readPlace(recordKey("JOB", 21))).toMatchObject({ removed_at: expect.any(String) });
  expect(await readPlace(recordKey("JOB", 21))).not.toHaveProperty("version");
  expect(await write(jobLine(21, 1, { version: 1 }))).toBe("created");
});

test("D35: a removal that overtakes the record's first line keeps it out", async () => {
  expect(await write({ type: "job", id: 10, version: 2, deleted: true })).toBe("unchanged");
  expect(await write(jobLine(10, 1, { version: 1 }))).toBe("stale");
  expect(await write({ type: "job", id: 10, version: 1, deleted: true })).toBe("unchanged");
  expect(await readPlace(recordKey("JOB", 10))).toMatchObject({ version: 2, removed_at: expect.any(String) });
  expect(await write(jobLine(10, 1, { version: 3 }))).toBe("created");
});

test("D35: a line without a version wins over a removal; what was late before stays late", async () => {
  await write({ type: "job", id: 11, version: 5, deleted: true });
  expect(await write(jobLine(11, 1))).toBe("created");
  expect(await write(jobLine(11, 1, { version: 4, title: "late" }))).toBe("stale");
  expect(await write({ type: "job", id: 11, version: 5, deleted: true })).toBe("stale");
  expect(await write(jobLine(11, 1, { version: 6, title: "next" }))).toBe("updated");
});

test("D35: a removal without a version keeps the version that was stored from coming back", async () => {
  await write(jobLine(12, 1, { version: 7 }));
  expect(await write({ type: "job", id: 12, deleted: true })).toBe("removed");
  expect(await write(jobLine(12, 1, { version: 7 }))).toBe("stale");
  expect(await write(jobLine(12, 1, { version: 8 }))).toBe("created");
});

test("D35: a removal is kept for 30 days, and then says nothing, swept or not", async () => {
  await write({ type: "job", id: 13, version: 5, deleted: true });
  const { removed_at, expires_at } = (await readPlace(recordKey("JOB", 13))) ?? {};
  const removedAt = Date.parse(String(removed_at));
  expect(Math.abs(Date.now() - removedAt)).toBeLessThan(60_000);
  expect(expires_at).toBe(Math.ceil((removedAt + 31 * days) / 1000));
  const before = new Date(removedAt + 30 * days - 1000);
  expect(await write(jobLine(13, 1, { version: 5 }), { now: before })).toBe("stale");
  const after = new Date(removedAt + 30 * days);
  expect(await write(jobLine(13, 1, { version: 5 }), { now: after })).toBe("created");
  expect(await write({ type: "job", id: 13, version: 6, deleted: true }, { now: after })).toBe("removed");
});

test("D35: a line reads one item and writes one, with a version or without", async () => {
  await write({ type: "job", id: 14, version: 1, deleted: true });
  await write(jobLine(14, 1));
  const plain = await costOf(() => write(jobLine(14, 1, { title: "Loader" })));
  expect(plain).toMatchObject({ readUnits: 1, sequentialTrips: 2 });
  const versioned = await costOf(() => write(jobLine(14, 1, { version: 2 })));
  expect(versioned).toMatchObject({ readUnits: 1, sequentialTrips: 2 });
  expect((await costOf(() => write({ type: "job", id: 15, deleted: true }))).writeUnits).toBe(0);
  expect((await costOf(() => write({ type: "job", id: 14, version: 2, title: "same" }))).writeUnits).toBe(0);
});

test("D35: a removal that is written between a late line's reading and its writing keeps the record out", async () => {
  for (let id = 100; id < 140; id += 1) {
    const lines = [jobLine(id, 1, { version: 1 }), { type: "job", id, version: 2, deleted: true }];
    await Promise.all((id % 2 ? lines : lines.toReversed()).map((line) => write(line)));
    expect(await readRecord("JOB", id)).toBeUndefined();
  }
  // The transaction's own check refuses, not the reading before it.
  proxy.reset();
  const release = proxy.hold("TransactWriteItems");
  const late = write(jobLine(140, 1, { version: 1 }));
  await expect.poll(() => proxy.calls.get("TransactWriteItems")).toBe(1);
  await write({ type: "job", id: 140, version: 2, deleted: true });
  release();
  expect(await late).toBe("stale");
  expect(await readRecord("JOB", 140)).toBeUndefined();
});

test("a change that was decided on a record that is gone does not meet the one that took its place", async () => {
  await write(jobLine(150, 1, { title: "old" }));
  proxy.reset();
  const release = proxy.hold("PutItem");
  const change = write({ type: "job", id: 150, postcode: "M2 3CD" });
  await expect.poll(() => proxy.calls.get("PutItem")).toBe(1);
  await write({ type: "job", id: 150, deleted: true });
  await write(jobLine(150, 1, { title: "new" }));
  release();
  expect(await change).toBe("updated");
  expect(await readRecord("JOB", 150)).toMatchObject({ title: "new", postcode: "M2 3CD" });
});

test("D26, D35: a late notification of many that were removed leaves the counts alone, each by its own tombstone", async () => {
  await write(notificationLine(1, 20, { version: 1 }));
  await write(notificationLine(2, 20, { version: 1 }));
  await write({ type: "notification", id: 1, user_id: 20, version: 2, deleted: true });
  expect(await write(notificationLine(1, 20, { version: 1 }))).toBe("stale");
  expect(await write(notificationLine(2, 20, { version: 2 }))).toBe("updated");
  expect(await findUnreadCounts(20)).toMatchObject({ notifications: 1, jobs: 1 });
  expect(await findNotifications(20, { limit: 5, beforeId: undefined, skip: 0 })).toMatchObject({ total: 1 });
});

const event = fc.record({ version: fc.integer({ min: 1, max: 12 }), deleted: fc.boolean() });

test.each([
  ["one after the other", false],
  ["in parallel", true],
])("D35: whatever the order and however often events come, %s, the highest version stands", async (_, inParallel) => {
  let id = inParallel ? 20_000 : 10_000;
  const property = fc.asyncProperty(
    fc.uniqueArray(event, { minLength: 1, maxLength: 8, selector: ({ version }) => version }),
    fc.infiniteStream(fc.nat()),
    async (events, chance) => {
      id += 1;
      const sent = [...events, ...events].toSorted(() => ((chance.next().value ?? 0) % 3) - 1);
      const run = ({ version, deleted }: (typeof events)[number]) =>
        write(deleted ? { type: "job", id, version, deleted } : jobLine(id, 1, { version, title: `v${version}` }));
      if (inParallel) await Promise.all(sent.map(run));
      else for (const each of sent) await run(each);
      const last = events.reduce((one, other) => (other.version > one.version ? other : one));
      const title = (await readRecord("JOB", id))?.title;
      expect(title).toBe(last.deleted ? undefined : `v${last.version}`);
    },
  );
  await fc.assert(property, { numRuns: histories });
});
