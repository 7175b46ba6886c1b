import { expect, test } from "vitest";
import { handler } from "../../functions/finance/list-invoices.ts";
import { listInvoices } from "../../shared/contract/finance.ts";
import { entities } from "../../shared/db/entities.ts";
import { updateTotals } from "../../shared/db/lists/update-totals.ts";
import { migrateTable } from "../../shared/db/migrate/migrate-table.ts";
import { reconcileTotals } from "../../shared/db/reconcile/reconcile-totals.ts";
import { recordKey } from "../../shared/db/table/keys.ts";
import { asRelease01, scanItems } from "../support/records/items.ts";
import { invoiceLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { write } from "../support/records/writes.ts";
import { call } from "../support/requests/call.ts";
import { useService } from "../support/service/service.ts";

/** 100000 in the long run. */
const records = Number(process.env.MIGRATE_RECORDS ?? 300);
const chunk = 100;

useService();

function line(id: number, changes: object = {}) {
  const day = String((id % 28) + 1).padStart(2, "0");
  return invoiceLine(id, id % 50, { issued_date: `2026-05-${day}`, company_id: (id % 50) + 1, ...changes });
}

/** Reads and writes until it is stopped; gives how many answers there were, and those that were no success. */
async function traffic(signal: AbortSignal, first: number) {
  const admin = { id: 1, role: "admin", company_id: null } as const;
  const queries = [{}, { by_company: "7" }, { by_state: "paid" }, { by_number: `INV-2026-${first % 10}` }];
  const refused: unknown[] = [];
  let answers = 0;
  for (let at = first; !signal.aborted; at += 7) {
    const id = (at % records) + 1;
    const read = await call(handler, listInvoices, { as: admin, query: queries[at % queries.length] ?? {} });
    if (read.status !== 200) refused.push(read.body);
    const state = at % 2 ? "paid" : "pending";
    await write(line(id, { state, total: `${at}.00` }));
    await updateTotals([recordKey("INVOICE", id)], new Date());
    answers += 2;
  }
  return { answers, refused };
}

test(
  `${records} records of release 0.1 are migrated while others read and write: nothing is refused, totals are exact`,
  async () => {
    const began = performance.now();
    await asRelease01(async () => {
      for (let at = 0; at < records; at += chunk) {
        await store(Array.from({ length: Math.min(chunk, records - at) }, (_, index) => line(at + index + 1)));
      }
    });
    const stored = performance.now();
    const stop = new AbortController();
    const running = [1, 2, 3].map((first) => traffic(stop.signal, first));
    const options = { entities, required: [], writesPerSecond: 10_000 };
    const summary = await migrateTable(options);
    const migrated = performance.now();
    stop.abort();
    const outcomes = await Promise.all(running);
    expect(outcomes.flatMap(({ refused }) => refused)).toEqual([]);
    expect(summary).toMatchObject({ damaged: [], newer: 0 });
    expect(await reconcileTotals()).toMatchObject({ records, drifts: [], uncounted: [], unreadable: [] });
    const items = [...(await scanItems()).values()].filter(({ pk }) => pk !== "KEYS");
    expect(items.filter(({ schema_version }) => schema_version !== 1)).toEqual([]);
    const seconds = (from: number, to: number) => Math.round((to - from) / 1000);
    const answers = outcomes.reduce((sum, each) => sum + each.answers, 0);
    const rewritten = [...summary.rewritten.values()].reduce((sum, count) => sum + count, 0);
    process.stderr.write(
      `${records} records stored in ${seconds(began, stored)} s; ${rewritten} of ${summary.seen} items rewritten in ` +
        `${seconds(stored, migrated)} s beside ${answers} reads and writes\n`,
    );
  },
  60_000 + records * 30,
);
