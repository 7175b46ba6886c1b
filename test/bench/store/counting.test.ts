import { expect, test } from "vitest";
import { countChanges } from "../../../shared/db/lists/update-totals.ts";
import { reconcileTotals } from "../../../shared/db/reconcile/reconcile-totals.ts";
import { readBatch } from "../../../shared/db/table/batch-reads.ts";
import { type RecordKind, recordKey } from "../../../shared/db/table/keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import type { TableChange } from "../../../shared/db/table/table-changes.ts";
import { invoiceLine, timesheetLine } from "../../support/records/records.ts";
import { write } from "../../support/records/writes.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";

useService();

const count = usualOrFull(100, 5_000);
const now = new Date("2026-05-10T12:00:00.000Z");

type Line = { readonly type: string; readonly id: number };

/** Writes lines, and gives their changes as the stream does. */
async function changesOf(lines: readonly Line[]): Promise<TableChange[]> {
  const keys = lines.map(({ type, id }) => recordKey(type.toUpperCase() as RecordKind, id));
  const readAll = async () => {
    const found: (Item | undefined)[] = [];
    for (let at = 0; at < keys.length; at += 100) found.push(...(await readBatch(keys.slice(at, at + 100))));
    return found;
  };
  const before = await readAll();
  for (let at = 0; at < lines.length; at += 50) await Promise.all(lines.slice(at, at + 50).map((line) => write(line)));
  const after = await readAll();
  return keys.map((key, at) => ({ eventId: `${key.pk}-${at}`, key, before: before[at], after: after[at] }));
}

/** Records that one consumer counts in a second, a hundred at a time. */
async function paceOf(lines: readonly Line[]): Promise<number> {
  const changes = await changesOf(lines);
  const began = performance.now();
  for (let at = 0; at < changes.length; at += 100) await countChanges(changes.slice(at, at + 100), now);
  return (changes.length / (performance.now() - began)) * 1_000;
}

const ids = Array.from({ length: count }, (_, at) => 1_000 + at);
const day = (id: number) => `2026-06-${String(1 + (id % 30)).padStart(2, "0")}`;

test("what one consumer counts in a second is exact", async () => {
  const fresh = await paceOf(ids.map((id) => invoiceLine(id, 1, { issued_date: day(id) })));
  const changed = await paceOf(ids.map((id) => ({ type: "invoice", id, state: "paid" })));
  const sheets = await paceOf(ids.map((id) => timesheetLine(id, 1, { date: day(id) })));
  const round = (pace: number) => Math.round(pace);
  console.info({ newInvoices: round(fresh), changedInvoices: round(changed), timesheets: round(sheets) });
  const { drifts, uncounted, records } = await reconcileTotals();
  expect({ drifts, uncounted, records }).toEqual({ drifts: [], uncounted: [], records: 2 * count });
}, 600_000);
