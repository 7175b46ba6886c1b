import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import { StoppedError } from "../../../infra/tools/cli/command.ts";
import { beforeCalls } from "../../support/faults/before-calls.ts";
import { allItems } from "../../support/records/items.ts";
import { jobLine } from "../../support/records/records.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { fc } from "../../support/service/properties.ts";
import { useService } from "../../support/service/service.ts";
import { importLines } from "../import/run-import.ts";
import { anyLine, inOrder, keyOf, type Line, rowsOf } from "./random-lines.ts";
import { emptyTable, exported, runExport, useFolder } from "./run-export.ts";

useService();

const file = useFolder();
/** So that an export has a dozen pages: each of four segments has some. */
const pageItems = 8;

/** The files that an interrupted export leaves in the folder of its file. */
const leftOf = (out: string) => readdirSync(dirname(out)).filter((name) => name.startsWith(basename(out)));

function beforePage<T>(meanwhile: (page: number) => Promise<void> | void, work: () => Promise<T>): Promise<T> {
  let pages = 0;
  return beforeCalls((command) => command === "ScanCommand" && meanwhile(++pages), work);
}

const ids = fc.integer({ min: 1, max: 40 });

test("what changes while the table is read is in the file once, as it was before or after", async () => {
  const changes = fc.array(
    fc.record({
      page: fc.integer({ min: 1, max: 6 }),
      changed: fc.array(anyLine(ids), { maxLength: 3 }),
      removed: fc.oneof(fc.constant<Line[]>([]), fc.array(anyLine(ids), { maxLength: 3 })),
    }),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyLine(ids), { minLength: 40, maxLength: 60 }), changes, async (some, steps) => {
      // The engine of the tests loses items of a segment where the last one of a page was removed, as entries of numbers and
      // logins are by a change.
      const removes = ({ changed, removed }: (typeof steps)[number]) =>
        removed.length > 0 || changed.some(({ type }) => type === "invoice" || type === "user");
      const segments = steps.some(removes) ? 1 : 4;
      await emptyTable();
      const states = new Map<string, (Line | undefined)[]>();
      const note = (line: Line, state: Line | undefined) => {
        states.set(keyOf(line), [...(states.get(keyOf(line)) ?? [undefined]), state]);
      };
      const bare = ({ version: _, ...line }: Line): Line => line;
      const start = inOrder(some.map(bare));
      await importLines(start);
      for (const line of start) states.set(keyOf(line), [line]);
      const meanwhile = async (page: number) => {
        for (const { changed, removed } of steps.filter((step) => step.page === page)) {
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
      };
      const text = await beforePage(meanwhile, () => exported(file("changing.jsonl"), { pageItems, segments }));
      const rows: Line[] = rowsOf(text).map((row) => JSON.parse(row));
      expect(rows.map(keyOf)).toEqual(inOrder(rows).map(keyOf));
      const found = new Map(rows.map((row) => [keyOf(row), row]));
      for (const [key, possible] of states) expect(possible).toContainEqual(found.get(key));
      expect([...found.keys()].filter((key) => !states.has(key))).toEqual([]);
    }),
    { numRuns: usualFreshOrFull(3, 8, 500), endOnFailure: true },
  );
}, 3_600_000);

test.each([1, 2, 5])("stopped or failed at page %i, it leaves nothing, and the next run has all of it", async (at) => {
  await emptyTable();
  await importLines(inOrder(fc.sample(anyLine(ids), 60)));
  const whole = await exported(file("whole.jsonl"));
  const out = file("interrupted.jsonl");
  const stop = new AbortController();
  const stopping = (page: number) => void (page === at && stop.abort());
  const stopped = beforePage(stopping, () => runExport(out, { pageItems, signal: stop.signal }));
  await expect(stopped).rejects.toThrow(StoppedError);
  const failing = (page: number) => {
    if (page === at) throw new Error("the cable is out");
  };
  await expect(beforePage(failing, () => runExport(out, { pageItems }))).rejects.toThrow("the cable is out");
  expect(leftOf(out)).toEqual([]);
  expect(await exported(out, { pageItems })).toBe(whole);
});

test("stopped while it writes, it leaves no file and no draft; the next run has all of it", async () => {
  await emptyTable();
  const params = { type: "published", note: "x".repeat(16_000) };
  await importLines(fc.sample(anyLine(ids, ["notification"]), 30).map((line) => ({ ...line, params })));
  const whole = await exported(file("whole.jsonl"));
  const rows = whole.split("\n");
  expect(new Set(rows).size).toBe(rows.length);
  const out = file("stopped.jsonl");
  const stop = new AbortController();
  const onProgress = (text: () => string) => {
    // As a signal comes, which waits until the process has a moment for it.
    if (text().endsWith("written")) setImmediate(() => stop.abort());
  };
  await expect(runExport(out, { signal: stop.signal, onProgress })).rejects.toThrow(StoppedError);
  expect(leftOf(out)).toEqual([]);
  expect((await exported(out)) === whole).toBe(true);
});

test("progress says how many items are read, and how many lines of a type are written", async () => {
  await emptyTable();
  await importLines([1, 2].map((id) => jobLine(id, 1)));
  const texts: string[] = [];
  const items = (await allItems()).length;
  const table = { items, now: () => new Date() };
  const began = performance.now();
  await runExport(file("progress.jsonl"), { segments: 1, table, onProgress: (text) => void texts.push(text()) });
  expect(texts).toEqual([
    expect.stringMatching(`^100% ${items} of some ${items} items read, \\d+ a second$`),
    "1 of type job written",
    "2 of type job written",
  ]);
  const leastRate = Math.floor((items * 1_000) / (performance.now() - began));
  expect(Number(/\d+(?= a second)/.exec(texts[0] ?? "")?.[0])).toBeGreaterThanOrEqual(leastRate);
});

test("a draft that a killed run has left is written over, whoever could read it", async () => {
  const out = file("killed.jsonl");
  writeFileSync(`${out}.draft`, "of a killed run", { mode: 0o644 });
  await runExport(out);
  expect([(statSync(out).mode & 0o777).toString(8), leftOf(out)]).toEqual(["600", ["killed.jsonl"]]);
  expect(readFileSync(out, "utf8")).not.toContain("of a killed run");
});

test("a file that is there is not written over, nor is the draft of another export taken for its own", async () => {
  const out = file("refused.jsonl");
  const replace = () => {
    if (!existsSync(`${out}.draft`)) return;
    writeFileSync(file("other"), "another's");
    renameSync(file("other"), `${out}.draft`);
  };
  const onProgress = (text: () => string) => text().endsWith("written") && replace();
  await expect(runExport(out, { onProgress })).rejects.toThrow(`Another export writes to ${out}`);
  expect([existsSync(out), readFileSync(`${out}.draft`, "utf8")]).toEqual([false, "another's"]);
  rmSync(`${out}.draft`);
  const meanwhile = () => writeFileSync(out, "kept");
  await expect(runExport(out, { onProgress: meanwhile })).rejects.toThrow(`${out} is there`);
  // Before it has read anything.
  const reading = () => expect.fail("it reads the table");
  await expect(runExport(out, { onProgress: reading })).rejects.toThrow(`${out} is there`);
  expect([leftOf(out), readFileSync(out, "utf8")]).toEqual([["refused.jsonl"], "kept"]);
});
