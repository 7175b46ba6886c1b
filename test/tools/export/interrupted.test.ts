import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { ExportOptions } from "../../../infra/tools/export/export-records.ts";
import { tableClient } from "../../../shared/db/table/table.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { fc } from "../../support/service/properties.ts";
import { useService } from "../../support/service/service.ts";
import { runImport, streamOf } from "../import/run-import.ts";
import { anyLine, inOrder, type Line, placeOf } from "./random-lines.ts";
import { emptyTable, everything, exported, runExport, someTable, useFolder } from "./run-export.ts";

useService();

const file = useFolder();
const keyOf = (line: Line) => placeOf(line).join();
/** So that an export has a dozen pages: each of four segments has some. */
const pageItems = 8;

async function importLines(lines: readonly object[]): Promise<void> {
  expect((await runImport(streamOf(...lines))).errors).toEqual([]);
}

interface Interruption {
  readonly page: number;
  readonly fails: boolean;
  readonly table?: typeof someTable;
}

/** Runs an export that is stopped at a page, or that fails there. */
async function interrupt(out: string, { page, fails, table = someTable }: Interruption): Promise<boolean> {
  const stop = new AbortController();
  let pages = 0;
  const name = `failing-${crypto.randomUUID()}`;
  tableClient().middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === "ScanCommand") pages += 1;
        if (pages === page && !fails) stop.abort();
        if (pages === page && fails) throw new Error("the cable is out");
        return next(args);
      },
    { step: "initialize", name },
  );
  try {
    return (await runExport(out, { pageItems, table, signal: stop.signal })).isComplete;
  } catch (error) {
    expect(error).toMatchObject({ message: "the cable is out" });
    return false;
  } finally {
    tableClient().middlewareStack.remove(name);
  }
}

const ids = fc.integer({ min: 1, max: 40 });
const interruptions = fc.array(
  fc.record({
    page: fc.integer({ min: 1, max: 6 }),
    fails: fc.boolean(),
    changed: fc.array(anyLine(ids), { maxLength: 3 }),
    removed: fc.oneof(fc.constant<Line[]>([]), fc.array(anyLine(ids), { maxLength: 3 })),
  }),
  { minLength: 1, maxLength: 5 },
);

test("interrupted anywhere, it goes on without a gap or a double; what changed meanwhile is as it was before or after", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyLine(ids), { minLength: 40, maxLength: 60 }), interruptions, async (some, stops) => {
      const out = file(`${crypto.randomUUID()}.jsonl`);
      // The engine of the tests loses items of a segment where the last one of a page was removed.
      const removes = stops.some(({ removed }) => removed.length > 0);
      const table = { ...someTable, segments: removes ? 1 : 4 };
      await emptyTable();
      const states = new Map<string, (Line | undefined)[]>();
      const note = (line: Line, state: Line | undefined) => {
        states.set(keyOf(line), [...(states.get(keyOf(line)) ?? [undefined]), state]);
      };
      const bare = ({ version: _, ...line }: Line): Line => line;
      const start = inOrder(some.map(bare));
      await importLines(start);
      for (const line of start) states.set(keyOf(line), [line]);
      for (const { changed, removed, ...stop } of stops) {
        if (await interrupt(out, { ...stop, table })) break;
        expect(existsSync(out)).toBe(false);
        for (const line of changed.map(bare)) note(line, line);
        for (const line of removed) {
          note(line, undefined);
          // With a user go their notifications.
          for (const known of [...states.values()].map((possible) =>
            possible.findLast((state) => state !== undefined),
          )) {
            if (line.type === "user" && known?.user_id === line.id) note(known, undefined);
          }
        }
        await importLines([
          ...changed.map(bare),
          ...removed.map(({ type, id, user_id }) => ({ type, id, ...(user_id ? { user_id } : {}), deleted: true })),
        ]);
      }
      if (!existsSync(out)) await runExport(out, { pageItems, table });
      const rows: Line[] = readFileSync(out, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((row) => JSON.parse(row));
      expect(rows.map(keyOf)).toEqual(inOrder(rows).map(keyOf));
      const found = new Map(rows.map((row) => [keyOf(row), row]));
      for (const [key, possible] of states) expect(possible).toContainEqual(found.get(key));
      expect([...found.keys()].filter((key) => !states.has(key))).toEqual([]);
    }),
    { numRuns: usualOrFull(3, 500, 8), endOnFailure: true },
  );
}, 3_600_000);

test("stopped while it writes, it leaves no file and no draft; the next run has all of it", async () => {
  await emptyTable();
  const notes = { note: "x".repeat(16_000) };
  const params = { type: "published", ...notes };
  await importLines(fc.sample(anyLine(ids, ["notification"]), 30).map((line) => ({ ...line, params })));
  const whole = await exported(file("whole.jsonl"));
  const out = file("stopped.jsonl");
  const stop = new AbortController();
  const onProgress: ExportOptions["onProgress"] = (step) => {
    if (step === "written") stop.abort();
  };
  expect(await runExport(out, { signal: stop.signal, onProgress })).toMatchObject({ isComplete: false });
  const left = readdirSync(dirname(out)).filter((name) => name.startsWith("stopped") && !name.endsWith("-journal"));
  expect(left).toEqual(["stopped.jsonl.part"]);
  const { begunAt, readAt, isResumed } = await runExport(out);
  expect([isResumed, begunAt < readAt, readFileSync(out, "utf8") === whole]).toEqual([true, true, true]);
});

test("killed after its file was in place, a run is over: once the file was taken away, the next one reads what is there now", async () => {
  await emptyTable();
  const [line, next] = fc.sample(anyLine(ids, ["job"]), 2);
  await importLines([{ ...line, id: 1 }]);
  const out = file("taken.jsonl");
  const stop = new AbortController();
  await runExport(out, { signal: stop.signal, onProgress: (step) => step === "written" && stop.abort() });
  const part = new DatabaseSync(`${out}.part`);
  part.exec("UPDATE run SET is_publishing = 1");
  part.close();
  await importLines([{ ...next, id: 2 }]);
  const { isResumed, counts } = await runExport(out);
  expect([isResumed, counts.get("job"), existsSync(`${out}.part`)]).toEqual([false, 2, false]);
});

test("a part is not taken for another table, place or selection, nor a file overwritten", async () => {
  const out = file("refused.jsonl");
  const identity = someTable.identity;
  await interrupt(out, { page: 1, fails: false });
  for (const other of [{ arn: "other" }, { id: "restored" }, { at: "localhost:8000" }, { createdAt: "2026-05-01" }]) {
    const table = { ...someTable, identity: { ...identity, ...other } };
    await expect(runExport(out, { table })).rejects.toThrow("is of another table, place or selection");
  }
  await expect(runExport(out, { selection: { ...everything, companyId: 1 } })).rejects.toThrow("is of another");
  writeFileSync(out, "kept");
  await expect(runExport(out)).rejects.toThrow(`${out} is there`);
  await expect(runExport(file("refused.jsonl"), { restarts: true })).rejects.toThrow("is there");
  expect(readFileSync(out, "utf8")).toBe("kept");
});
