import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { handler } from "../../../functions/finance/list-invoices.ts";
import { listInvoices } from "../../../shared/contract/finance.ts";
import { entities, entityOf } from "../../../shared/db/entities.ts";
import { nextCountedPlace } from "../../../shared/db/lists/counted-places.ts";
import { fromOwned, type OwnedFields } from "../../../shared/db/lists/listed-items.ts";
import { entriesOf, numberEntries } from "../../../shared/db/lists/number-search.ts";
import { updateTotals } from "../../../shared/db/lists/update-totals.ts";
import { migrateTable } from "../../../shared/db/migrate/migrate-table.ts";
import { reconcileTotals } from "../../../shared/db/reconcile/reconcile-totals.ts";
import { rewriteTotals } from "../../../shared/db/reconcile/repair-totals.ts";
import { keyOf, recordKey } from "../../../shared/db/table/keys.ts";
import { documentClient, type Item } from "../../../shared/db/table/table.ts";
import { placeOf } from "../../../shared/domain/records/list-place.ts";
import { settings } from "../../../shared/settings.ts";
import { asRelease01, scanItems } from "../../support/records/items.ts";
import { invoiceLine } from "../../support/records/records.ts";
import { write } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";

/** MIGRATE_RECORDS=100000 makes it a longer run. */
const records = Number(process.env.MIGRATE_RECORDS ?? usualOrFull(60, 2_000));
const itemsPerWrite = 25;

useService();

function line(id: number, changes: object = {}) {
  const issued_date = `2026-05-${String((id % 28) + 1).padStart(2, "0")}`;
  return invoiceLine(id, (id % 50) + 1, { issued_date, number: numberOf(id), ...changes });
}

function numberOf(id: number): string {
  return String(id).padStart(7, "0");
}

/** What release 0.1 stored for an invoice and what followed from it: the items of this version without their version. */
function itemsOf(id: number): Item[] {
  const { type: _, ...fields } = line(id);
  const place = placeOf("INVOICES", fields.company_id, fields);
  const invoice = { ...fromOwned("INVOICES", fields as OwnedFields<"INVOICES">, undefined, undefined), revision: 1 };
  const counted = nextCountedPlace(recordKey("INVOICE", id), undefined, { place, revision: 1 }, new Date());
  const items: Item[] = [invoice, counted, ...entriesOf(place).map(numberEntries.encode)];
  return items.map(({ schema_version: __, ...item }) => item);
}

async function putAll(items: readonly Item[]): Promise<void> {
  for (let at = 0; at < items.length; at += itemsPerWrite) {
    const requests = items.slice(at, at + itemsPerWrite).map((Item) => ({ PutRequest: { Item } }));
    const command = new BatchWriteCommand({ RequestItems: { [settings.tableName()]: requests } });
    const { UnprocessedItems = {} } = await documentClient().send(command);
    expect(UnprocessedItems).toEqual({});
  }
}

async function storeAll(): Promise<void> {
  for (let first = 1; first <= records; first += 1_000) {
    const ids = Array.from({ length: Math.min(1_000, records - first + 1) }, (_, at) => first + at);
    await putAll(ids.flatMap(itemsOf));
  }
  await asRelease01(async () => {
    const found = await reconcileTotals();
    await rewriteTotals(found, found);
  });
  expect(await reconcileTotals()).toMatchObject({ records, drifts: [], uncounted: [], unreadable: [] });
}

/** Reads and writes until it is stopped, and counts what it ended; gives the answers that were no success. */
async function traffic(signal: AbortSignal, first: number, ended: { reads: number; writes: number }) {
  const admin = { id: 1, role: "admin", company_id: null } as const;
  const queries = [{}, { by_company: "7" }, { by_state: "paid" }, { by_number: numberOf(first) }];
  const refused: unknown[] = [];
  for (let at = first; !signal.aborted; at += 7) {
    const id = (at % records) + 1;
    const read = await call(handler, listInvoices, { as: admin, query: queries[at % queries.length] ?? {} });
    if (read.status !== 200) refused.push(read.body);
    ended.reads += 1;
    await write(line(id, { state: at % 2 ? "paid" : "pending", total: `${at}.00` }));
    await updateTotals([recordKey("INVOICE", id)], new Date());
    ended.writes += 1;
  }
  return refused;
}

test(
  `${records} records of release 0.1 are migrated while others read and write: nothing is refused, totals are exact`,
  async () => {
    const began = performance.now();
    await storeAll();
    const stored = performance.now();
    const stop = new AbortController();
    const ended = { reads: 0, writes: 0 };
    const running = [1, 2, 3].map((first) => traffic(stop.signal, first, ended));
    await expect.poll(() => ended.writes).toBeGreaterThan(0);
    const before = { ...ended };
    const summary = await migrateTable({ entities, required: [], writesPerSecond: 10_000 });
    const migrated = performance.now();
    const during = { reads: ended.reads - before.reads, writes: ended.writes - before.writes };
    stop.abort();
    const outcomes = await Promise.all(running);
    expect(Math.min(during.reads, during.writes)).toBeGreaterThan(0);
    expect(outcomes.flat()).toEqual([]);
    expect(summary).toMatchObject({ damaged: [], contended: [], newer: 0 });
    expect(await reconcileTotals()).toMatchObject({ records, drifts: [], uncounted: [], unreadable: [] });
    const items = [...(await scanItems()).values()].filter(({ pk }) => pk !== "KEYS");
    expect(items.filter((item) => item.schema_version !== entityOf(keyOf(item))?.version)).toEqual([]);
    const seconds = (from: number, to: number) => Math.round((to - from) / 1000);
    const rewritten = [...summary.rewritten.values()].reduce((sum, count) => sum + count, 0);
    process.stderr.write(
      `${records} records stored in ${seconds(began, stored)} s; ${rewritten} of ${summary.seen} items rewritten in ` +
        `${seconds(stored, migrated)} s beside ${during.reads} reads and ${during.writes} writes\n`,
    );
  },
  60_000 + records * 30,
);
