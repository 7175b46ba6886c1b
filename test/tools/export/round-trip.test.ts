import { expect, test } from "vitest";
import { readTable } from "../../../shared/db/reconcile/read-parts.ts";
import { differencesOf, reconcileUntilStable } from "../../../shared/db/reconcile/stable-reconciliation.ts";
import { isListedKind } from "../../../shared/db/lists/list-keys.ts";
import { countRecords } from "../../support/records/store.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { fc } from "../../support/service/properties.ts";
import { useService } from "../../support/service/service.ts";
import { runImport, streamOf } from "../import/run-import.ts";
import { anyLine, inOrder, type Line } from "./random-lines.ts";
import { emptyTable, exported, useFolder } from "./run-export.ts";

useService();

const file = useFolder();
const records = usualOrFull(250, 100_000, 2_000);
const batch = usualOrFull(250, 10_000, 1_000);

async function importLines(lines: readonly (Line | string)[]): Promise<void> {
  const { summary, errors } = await runImport(streamOf(...lines));
  expect(errors).toEqual([]);
  expect(summary.failed).toBe(0);
}

async function countAll(lines: readonly Line[]): Promise<void> {
  await countRecords(lines.flatMap(({ type, id }) => (isListedKind(type.toUpperCase()) ? [[type, id] as const] : [])));
  const look = (suspects: readonly number[] | undefined) => readTable({ suspects, isConsistent: true }, { segments: 1 });
  const { found } = await reconcileUntilStable({ look, pauseMs: 0 });
  expect(differencesOf(found)).toEqual([]);
}

test("export, empty table, import and export give the same bytes, and totals are exact", async () => {
  const lines: Line[] = [];
  while (lines.length < records) {
    // The last of them are on more than one page, whatever their ids are.
    const some = inOrder(fc.sample(anyLine(), { numRuns: batch, seed: lines.length + 1 }));
    await importLines(some);
    lines.push(...some);
  }
  const first = await exported(file("all.jsonl"));
  // Versions below those of earlier lines with the same id are late.
  const rows: Line[] = first.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  if (records === batch) expect(rows).toEqual(inOrder(lines));

  await emptyTable();
  await importLines(rows.map((row) => JSON.stringify(row)));
  expect(await exported(file("again.jsonl"), { pageItems: 100 })).toBe(first);
  await countAll(rows);
}, 3_600_000);
