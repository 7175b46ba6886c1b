import { expect, test } from "vitest";
import { isListedKind } from "../../../shared/db/lists/list-keys.ts";
import { readTable } from "../../../shared/db/reconcile/read-parts.ts";
import { differencesOf, reconcileUntilStable } from "../../../shared/db/reconcile/stable-reconciliation.ts";
import { countRecords } from "../../support/records/store.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { fc } from "../../support/service/properties.ts";
import { useService } from "../../support/service/service.ts";
import { runImport, streamOf } from "../import/run-import.ts";
import { anyLine, inOrder, type Line } from "./random-lines.ts";
import { emptyTable, exported, useFolder } from "./run-export.ts";

useService();

const file = useFolder();
const records = usualOrFull(120, 100_000, 2_000);

async function importLines(lines: readonly (Line | string)[]): Promise<void> {
  const { summary, errors } = await runImport(streamOf(...lines));
  expect(errors).toEqual([]);
  expect(summary.failed).toBe(0);
}

async function countAll(lines: readonly Line[]): Promise<void> {
  await countRecords(lines.flatMap(({ type, id }) => (isListedKind(type.toUpperCase()) ? [[type, id] as const] : [])));
  const look = (suspects: readonly number[] | undefined) =>
    readTable({ suspects, isConsistent: true }, { segments: 1 });
  const { found } = await reconcileUntilStable({ look, pauseMs: 0 });
  expect(differencesOf(found)).toEqual([]);
}

/** The same record under another id, with logins of its own. */
function underId(line: Line | undefined, id: number): Line {
  if (!line) throw new Error("There is no line to copy");
  return { ...line, id, ...(line.type === "user" && { email: `user-${id}@example.com`, profile_id: id }) };
}

test("export, empty table, import and export give the same bytes, and totals are exact", async () => {
  const some = fc.sample(anyLine(), Math.min(records, 2_000));
  const others = Array.from({ length: records - some.length }, (_, at) =>
    underId(some[at % some.length], 2_000_000 + at),
  );
  const lines = inOrder([...some, ...others]);
  await importLines(lines.toReversed());
  const first = await exported(file("all.jsonl"));
  const rows = first.split("\n").slice(0, -1);
  // One by one: a difference of many records is too long to be shown.
  for (const [at, row] of rows.entries()) expect(JSON.parse(row)).toEqual(lines[at]);
  expect(rows.length).toBe(lines.length);

  await emptyTable();
  await importLines(rows);
  expect((await exported(file("again.jsonl"), { pageItems: 100 })) === first).toBe(true);
  await countAll(lines);
}, 3_600_000);
