import { beforeEach, describe, expect, test, vi } from "vitest";
import { handler as notify } from "../../../functions/workers/notify.ts";
import { entities, entityOf } from "../../../shared/db/entities.ts";
import { createPace, migrateTable } from "../../../shared/db/migrate/migrate-table.ts";
import { reconcileTotals } from "../../../shared/db/reconcile/reconcile-totals.ts";
import { deleteItemAt, putIf } from "../../../shared/db/table/conditional-writes.ts";
import { defineEntity, type Entity, stampOnly } from "../../../shared/db/table/entity.ts";
import { keyOf, recordKey } from "../../../shared/db/table/keys.ts";
import { isComplete, isMarkedComplete, type Migration } from "../../../shared/db/table/migrations.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { crashEverywhere } from "../../support/faults/crash.ts";
import { useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { asRelease01, scanItems } from "../../support/records/items.ts";
import { updateRaw } from "../../support/records/raw-writes.ts";
import { companyLine, invoiceLine, jobLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem, write } from "../../support/records/writes.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";
import { nothingFailed, streamRecord } from "../../support/workers/workers.ts";

useService();
const proxy = useFaultProxy();

const usual = { entities, required: [], writesPerSecond: 10_000 };
const lines = [
  companyLine(1),
  invoiceLine(1, 1),
  invoiceLine(2, 1, { state: "paid" }),
  timesheetLine(1, 1),
  jobLine(1, 1),
];

beforeEach(async () => {
  proxy.reset();
  for (const item of (await scanItems()).values()) if (item.pk !== "KEYS") await deleteItemAt(keyOf(item));
});

async function versions(): Promise<unknown[]> {
  const items = [...(await scanItems()).values()].filter(({ pk }) => pk !== "KEYS" && pk !== "MIGRATION");
  return [...new Set(items.map(({ schema_version }) => schema_version))];
}

/** The items that are not of the newest version of their kind. */
async function behind(): Promise<Item[]> {
  const items = [...(await scanItems()).values()].filter(({ pk }) => pk !== "KEYS" && pk !== "MIGRATION");
  return items.filter((item) => item.schema_version !== entityOf(keyOf(item))?.version);
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** The invoices of a release that adds an index by number: each item gets its key. */
const invoicesByNumber = defineEntity("invoice", ({ pk, sk }) => sk === "INVOICE" && pk.startsWith("INVOICE#"), {
  upgrades: [stampOnly, (item) => ({ ...item, number_key: (item.record as { number: string }).number })],
});
const nextEntities = entities.map((each): Entity<object> => (each.name === "invoice" ? invoicesByNumber : each));
const byNumber: Migration = { name: "invoices-by-number", entity: "invoice", version: 2 };

describe("what release 0.1 wrote", () => {
  test("gets the newest version and keeps all else; a second run changes nothing", async () => {
    await asRelease01(() => store(lines));
    const before = await scanItems();
    expect(await versions()).toEqual([undefined]);
    const first = await migrateTable(usual);
    expect(first).toMatchObject({ damaged: [], newer: 0, isResumed: false });
    expect(sumOf(first.rewritten)).toBe(before.size);
    const after = await scanItems();
    for (const [name, item] of before) {
      const newest = entities.find(({ matches }) => matches(keyOf(item)))?.version;
      expect(after.get(name)).toEqual({ ...item, schema_version: newest });
    }
    expect(sumOf((await migrateTable(usual)).rewritten)).toBe(0);
    expect(await reconcileTotals()).toMatchObject({ records: 4, drifts: [], uncounted: [], unreadable: [] });
  });

  test("is counted by a dry run, which writes nothing", async () => {
    await asRelease01(() => store(lines));
    const before = await scanItems();
    const { rewritten } = await migrateTable({ ...usual, isDryRun: true });
    expect([rewritten.get("invoice"), rewritten.get("company")]).toEqual([2, 1]);
    expect(await scanItems()).toEqual(before);
  });

  test("is migrated to the same end wherever a run is killed, before or after any of its calls", async () => {
    let expected: Map<string, Item> | undefined;
    let resumed = 0;
    const inPages = { ...usual, itemsPerPage: 2 };
    const crashes = await crashEverywhere(
      async (kill, place) => {
        for (const { pk, sk } of (await scanItems()).values()) {
          if (pk === "MIGRATION") await deleteItemAt({ pk, sk } as never);
          else if (pk !== "KEYS") await updateRaw({ Key: { pk, sk }, UpdateExpression: "REMOVE schema_version" });
        }
        if (!expected) await asRelease01(() => store(lines.slice(0, 2)));
        await kill(() => migrateTable(inPages));
        resumed += (await migrateTable(inPages)).isResumed ? 1 : 0;
        const found = await scanItems();
        expected ??= found;
        expect(found, place).toEqual(expected);
      },
      usualOrFull(6, 1),
    );
    expect(crashes).toBeGreaterThan(usualOrFull(3, 20));
    expect(resumed).toBeGreaterThan(usualOrFull(1, 5));
  }, 60_000);

  test("is migrated page by page; a run that breaks off between two goes on after the last that it ended", async () => {
    await asRelease01(() => store(lines));
    const items = (await scanItems()).size;
    const pages: number[] = [];
    const breaksOff = ({ seen }: { seen: number }) => {
      pages.push(seen);
      if (pages.length === 2) throw new Error("broken off");
    };
    await expect(migrateTable({ ...usual, itemsPerPage: 3, onProgress: breaksOff })).rejects.toThrow("broken off");
    expect(pages).toEqual([3, 6]);
    const rest: number[] = [];
    const onProgress = ({ seen }: { seen: number }) => void rest.push(seen);
    const second = await migrateTable({ ...usual, itemsPerPage: 3, onProgress });
    expect(second).toMatchObject({ isResumed: true, missedBefore: 0 });
    expect(rest.length).toBeGreaterThanOrEqual(3);
    // The place of the run is an item as well, and stands before or behind the page where it broke off.
    expect([items - 6, items - 5]).toContain(second.seen);
    expect(await behind()).toEqual([]);
    expect(await migrateTable(usual)).toMatchObject({ isResumed: false, seen: items + 1, rewritten: new Map() });
  });

  test("is migrated no faster than asked", async () => {
    await asRelease01(() => store([invoiceLine(1, 1)]));
    const began = performance.now();
    const { rewritten } = await migrateTable({ ...usual, writesPerSecond: 20 });
    expect(sumOf(rewritten)).toBeGreaterThan(5);
    expect(performance.now() - began).toBeGreaterThanOrEqual(((sumOf(rewritten) - 1) / 20) * 1000 - 5);
  });

  test("is migrated silently: the stream's consumers see nothing to notify", async () => {
    await asRelease01(() => store(lines));
    for (const item of (await scanItems()).values())
      await updateRaw({ Key: keyOf(item), UpdateExpression: "REMOVE silent" });
    const before = await scanItems();
    await migrateTable(usual);
    const after = await scanItems();
    const changes = [...before].map(([name, item]) =>
      streamRecord(keyOf(item), { before: item, after: after.get(name) }),
    );
    await Promise.all(["NOTIFICATION_QUEUE_URL", "PUSH_QUEUE_URL"].map(takeMessages));
    expect(await notify({ Records: changes })).toEqual(nothingFailed);
    expect(await takeMessages("NOTIFICATION_QUEUE_URL")).toEqual([]);
    expect(await takeMessages("PUSH_QUEUE_URL")).toEqual([]);
  });

  test("that changes while it is rewritten is read again: neither change is lost", async () => {
    await store([invoiceLine(1, 1)]);
    const release = proxy.hold("UpdateItem");
    const running = migrateTable({ ...usual, entities: nextEntities });
    await expect.poll(() => proxy.holding("UpdateItem")).toBe(true);
    expect(await write(invoiceLine(1, 1, { number: "OTHER-7", total: "9.00" }))).toBe("updated");
    release();
    await running;
    const item = await readItem(recordKey("INVOICE", 1));
    expect(item).toMatchObject({ schema_version: 2, number_key: "OTHER-7", record: { total: "9.00" } });
  });
});

describe("the pace", () => {
  test("gives the first turn at once and the others evenly; turns that nobody took are not made up for", async () => {
    vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
    const takeTurn = createPace(10);
    let turns = 0;
    const take = () => void takeTurn().then(() => (turns += 1));
    for (let count = 0; count < 5; count += 1) take();
    await vi.advanceTimersByTimeAsync(0);
    expect(turns).toBe(1);
    await vi.advanceTimersByTimeAsync(399);
    expect(turns).toBe(4);
    await vi.advanceTimersByTimeAsync(1);
    expect(turns).toBe(5);
    await vi.advanceTimersByTimeAsync(10_000);
    for (let count = 0; count < 5; count += 1) take();
    await vi.advanceTimersByTimeAsync(50);
    expect(turns).toBe(6);
    vi.useRealTimers();
  });
});

const conflict = { status: 400, body: { __type: "com.amazonaws.dynamodb.v20120810#TransactionConflictException" } };

describe("an item that others hold in their transactions", () => {
  async function storeOneOlder(): Promise<void> {
    await store([invoiceLine(1, 1)]);
    await updateRaw({ Key: { ...recordKey("INVOICE", 1) }, UpdateExpression: "REMOVE schema_version" });
    proxy.reset();
  }

  test("for longer than a write waits is tried again until they are done", async () => {
    await storeOneOlder();
    proxy.fail("UpdateItem", conflict, 25);
    const summary = await migrateTable(usual);
    expect(proxy.calls.get("UpdateItem")).toBe(26);
    expect(summary).toMatchObject({ contended: [], rewritten: new Map([["invoice", 1]]) });
  });

  test("all the time is named, and keeps neither the run from its end nor the next from being complete", async () => {
    await storeOneOlder();
    proxy.fail("UpdateItem", conflict, 10_000);
    const required = [{ ...byNumber, name: "contended", version: 1 }];
    const pace = { tries: 2, firstPauseMs: 1, longestPauseMs: 1 };
    const first = await migrateTable({ ...usual, required, pace });
    expect(first).toMatchObject({ contended: ["INVOICE#1 INVOICE"], completed: [], incomplete: ["contended"] });
    expect(first.seen).toBe((await scanItems()).size - 1);
    proxy.reset();
    expect(await migrateTable({ ...usual, required })).toMatchObject({ contended: [], completed: ["contended"] });
  });
});

describe("an item", () => {
  test("that a step throws on is named, blocks no other, and keeps the migration from being complete", async () => {
    await store([invoiceLine(1, 1), invoiceLine(2, 1)]);
    await putIf({ Item: { ...recordKey("INVOICE", 3), id: 3, company_id: 1 } });
    const required = [{ ...byNumber, name: "damaged" }];
    const summary = await migrateTable({ ...usual, entities: nextEntities, required });
    expect(summary).toMatchObject({ damaged: ["INVOICE#3 INVOICE"], completed: [] });
    expect(summary.rewritten.get("invoice")).toBe(2);
    expect(await isComplete("damaged")).toBe(false);
  });

  test("that a step throws on is counted by the run that goes on, too, and keeps that from being complete", async () => {
    await store([invoiceLine(1, 1), invoiceLine(2, 1)]);
    await putIf({ Item: { ...recordKey("INVOICE", 3), id: 3, company_id: 1 } });
    const required = [{ ...byNumber, name: "damaged-before" }];
    const inPages = { ...usual, entities: nextEntities, required, itemsPerPage: 1 };
    let hasThrown = false;
    const decode = (item: Item) => {
      hasThrown ||= item.pk === "INVOICE#3";
      return invoicesByNumber.decode(item);
    };
    const watched = nextEntities.map((each) => (each === invoicesByNumber ? { ...invoicesByNumber, decode } : each));
    const onProgress = () => {
      if (hasThrown) throw new Error("broken off");
    };
    await expect(migrateTable({ ...inPages, entities: watched, onProgress })).rejects.toThrow("broken off");
    const second = await migrateTable(inPages);
    expect(second).toMatchObject({ isResumed: true, missedBefore: 1, damaged: [], completed: [] });
    expect(second.incomplete).toEqual(["damaged-before"]);
  });

  test("of a newer version is left as it is", async () => {
    await store([invoiceLine(1, 1)]);
    const Key = recordKey("INVOICE", 1);
    const ExpressionAttributeValues = { ":newer": 3, ":from": 3 };
    const UpdateExpression = "SET schema_version = :newer, schema_readable_from = :from";
    const newer = await updateRaw({ Key: { ...Key }, UpdateExpression, ExpressionAttributeValues });
    expect(await migrateTable({ ...usual, entities: nextEntities })).toMatchObject({ newer: 1, damaged: [] });
    expect(await readItem(Key)).toEqual(newer);
  });
});

describe("a new index", () => {
  test("is complete once every item has its key, and what older code left behind meanwhile is repaired", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const required = [byNumber];
    await asRelease01(() => store([invoiceLine(1, 1), invoiceLine(2, 1)]));
    expect(await isComplete(byNumber.name)).toBe(false);
    await migrateTable({ ...usual, entities: nextEntities, required: [] });
    // The release before changes an item that has the new version already, and does not know the key.
    await write(invoiceLine(2, 1, { number: "MOVED-2" }));
    expect(await readItem(recordKey("INVOICE", 2))).toMatchObject({ schema_version: 2, number_key: "INV-2026-00002" });
    vi.useRealTimers();
    const summary = await migrateTable({ ...usual, entities: nextEntities, required });
    expect(summary.completed).toEqual([byNumber.name]);
    expect(await readItem(recordKey("INVOICE", 2))).toMatchObject({ schema_version: 2, number_key: "MOVED-2" });
    expect((await migrateTable({ ...usual, entities: nextEntities, required })).completed).toEqual([]);
  });

  test("is not complete after going back: a restart revokes its completion and repairs what older code left", async () => {
    const required = [{ ...byNumber, name: "restarted" }];
    const next = { ...usual, entities: nextEntities, required };
    await store([invoiceLine(1, 1), invoiceLine(2, 1)]);
    expect(await migrateTable(next)).toMatchObject({ completed: ["restarted"], incomplete: [] });
    await write(invoiceLine(2, 1, { number: "MOVED-2" }));
    await write(invoiceLine(3, 1, { number: "NEW-3" }));
    const isBroken = () => {
      throw new Error("broken off");
    };
    const broken = migrateTable({ ...next, restarts: true, itemsPerPage: 1, onProgress: isBroken });
    await expect(broken).rejects.toThrow("broken off");
    expect(await isMarkedComplete("restarted")).toBe(false);
    expect(await migrateTable(next)).toMatchObject({ isResumed: true, completed: ["restarted"] });
    for (const [id, number] of [
      [1, "INV-2026-00001"],
      [2, "MOVED-2"],
      [3, "NEW-3"],
    ] as const) {
      expect(await readItem(recordKey("INVOICE", id))).toMatchObject({ schema_version: 2, number_key: number });
    }
    expect((await migrateTable({ ...next, restarts: true, isDryRun: true })).completed).toEqual([]);
    expect(await isMarkedComplete("restarted")).toBe(true);
    await migrateTable({ ...usual, restarts: true });
    expect(await isMarkedComplete("restarted")).toBe(false);
  });

  test("is read from a minute after it is complete at the latest, and its completion is read once", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    await store([invoiceLine(1, 1)]);
    expect(await isComplete("seen-late")).toBe(false);
    await migrateTable({ ...usual, entities: nextEntities, required: [{ ...byNumber, name: "seen-late" }] });
    expect(await isComplete("seen-late")).toBe(false);
    vi.advanceTimersByTime(60_001);
    expect(await isComplete("seen-late")).toBe(true);
    const asked = proxy.calls.get("GetItem");
    vi.advanceTimersByTime(600_000);
    expect(await isComplete("seen-late")).toBe(true);
    expect(proxy.calls.get("GetItem")).toBe(asked);
    vi.useRealTimers();
  });

  test("is believed incomplete while the table does not answer, and where nothing is known that is a fault", async () => {
    const fault = { status: 400, body: { __type: "com.amazonaws.dynamodb.v20120810#AccessDeniedException" } };
    expect(await isComplete("unanswered")).toBe(false);
    vi.useFakeTimers({ toFake: ["performance"] });
    vi.advanceTimersByTime(60_001);
    proxy.fail("GetItem", fault, 2);
    expect(await isComplete("unanswered")).toBe(false);
    await expect(isComplete("never-asked")).rejects.toThrow();
    vi.useRealTimers();
  });
});
