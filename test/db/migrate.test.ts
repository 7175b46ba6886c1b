import { beforeEach, describe, expect, test, vi } from "vitest";
import { handler as notify } from "../../functions/workers/notify.ts";
import { entities } from "../../shared/db/entities.ts";
import { migrateTable } from "../../shared/db/migrate/migrate-table.ts";
import { isComplete, type Migration } from "../../shared/db/migrate/migrations.ts";
import { reconcileTotals } from "../../shared/db/reconcile/reconcile-totals.ts";
import { defineEntity, type Entity, stampOnly } from "../../shared/db/table/entity.ts";
import { keyOf, recordKey } from "../../shared/db/table/keys.ts";
import { deleteItemAt, type Item, putIf, updateIf } from "../../shared/db/table/table.ts";
import { crashEverywhere } from "../support/faults/crash.ts";
import { useFaultProxy } from "../support/faults/fault-proxy.ts";
import { asRelease01, scanItems } from "../support/records/items.ts";
import { companyLine, invoiceLine, jobLine, timesheetLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { readItem, write } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";
import { takeMessages } from "../support/workers/queues.ts";
import { nothingFailed, streamRecord } from "../support/workers/workers.ts";

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

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** The invoices of a release that adds an index by number: each item gets its key. */
const invoicesByNumber = defineEntity({
  name: "invoice",
  matches: ({ pk, sk }) => sk === "INVOICE" && pk.startsWith("INVOICE#"),
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
    expect(await versions()).toEqual([1]);
    const after = await scanItems();
    for (const [name, item] of before) {
      expect(after.get(name)).toEqual({ ...item, schema_version: 1 });
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
    const crashes = await crashEverywhere(async (kill, place) => {
      for (const { pk, sk } of (await scanItems()).values()) {
        if (pk === "MIGRATION") await deleteItemAt({ pk, sk } as never);
        else if (pk !== "KEYS") await updateIf({ Key: { pk, sk }, UpdateExpression: "REMOVE schema_version" });
      }
      if (!expected) await asRelease01(() => store(lines.slice(0, 2)));
      await kill(() => migrateTable(usual));
      await migrateTable(usual);
      const found = await scanItems();
      expected ??= found;
      expect(found, place).toEqual(expected);
    });
    expect(crashes).toBeGreaterThan(20);
  }, 60_000);

  test("is migrated silently: the stream's consumers see nothing to notify", async () => {
    await asRelease01(() => store(lines));
    for (const item of (await scanItems()).values())
      await updateIf({ Key: keyOf(item), UpdateExpression: "REMOVE silent" });
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

  test("of a newer version is left as it is", async () => {
    await store([invoiceLine(1, 1)]);
    const Key = recordKey("INVOICE", 1);
    const ExpressionAttributeValues = { ":newer": 3, ":from": 3 };
    const UpdateExpression = "SET schema_version = :newer, schema_readable_from = :from";
    const newer = await updateIf({ Key: { ...Key }, UpdateExpression, ExpressionAttributeValues });
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
