import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { timeoutSecondsOf } from "../../../infra/constructs/compute/service-function.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { isChangedSince, isRemadeSince, nextSince } from "../../../infra/tools/export/changed-since.ts";
import { openErasedList } from "../../../infra/tools/forget/erased-list.ts";
import { forgetPerson } from "../../../infra/tools/forget/forget-person.ts";
import { tombstoneDays } from "../../../shared/table/record-plans.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { testContext } from "../../support/records/contexts.ts";
import { updateRaw } from "../../support/records/items.ts";
import { timesheetLine, userLine } from "../../support/records/records.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { fc } from "../../support/service/properties.ts";
import { useService } from "../../support/service/service.ts";
import { importLines } from "../import/run-import.ts";
import { xenia } from "../xenia.ts";
import { anyLine, keyOf, type Line, rowsOf } from "./random-lines.ts";
import { emptyTable, everything, exported, runExport, selected, useFolder } from "./run-export.ts";

useService();

const file = useFolder();

/** A moment after what is written so far, and before what follows. */
async function nextMoment(): Promise<string> {
  await pause(2);
  return new Date().toISOString();
}

const someLine = fc
  .tuple(anyLine(fc.integer({ min: 1, max: 12 })), fc.option(fc.integer({ min: 0, max: 3 })))
  .map(([line, version]): Line => ({ ...line, version }));
const removal = someLine.map(({ type, id, user_id, version }) => ({
  type,
  id,
  ...(user_id ? { user_id } : {}),
  ...(version === null ? {} : { version }),
  deleted: true,
}));

async function exportSince(since: string): Promise<string> {
  return exported(file("since.jsonl"), { selection: selected({ since }) });
}

test("imported over an earlier export, what has changed since gives the same table", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 3, arbitrary: someLine }, removal), { minLength: 20, maxLength: 40 }),
      fc.array(fc.oneof(someLine, removal), { maxLength: 20 }),
      async (first, changes) => {
        await emptyTable();
        await importLines(first);
        const before = await exported(file("before.jsonl"));
        const since = await nextMoment();
        await importLines(changes);
        const changed = await exportSince(since);
        const after = await exported(file("after.jsonl"));

        await emptyTable();
        await importLines(rowsOf(before));
        await importLines(rowsOf(changed));
        expect(await exported(file("again.jsonl"))).toBe(after);
        // What says when it changed is not in it unless it did; a tombstone of the last day is.
        const touched = new Set(changes.map((line) => keyOf(line as Line)));
        const rows: Line[] = rowsOf(changed).map((row) => JSON.parse(row));
        const stamped = rows
          .filter(({ type }) => type !== "company" && type !== "notification")
          .filter(({ deleted }) => !deleted);
        const unstamped = "a type without a history, which is exported whole, stands beside company above";
        expect(
          stamped.filter((row) => !touched.has(keyOf(row))),
          unstamped,
        ).toEqual([]);
      },
    ),
    { numRuns: usualFreshOrFull(3, 8, 500), endOnFailure: true },
  );
}, 3_600_000);

test("an export that goes on until removals are forgotten which it would list is refused", async () => {
  await emptyTable();
  const begun = new Date();
  const selection = selected({ since: new Date(begun.getTime() - tombstoneDays * 86_400_000).toISOString() }, begun);
  const late = { items: undefined, now: () => new Date(begun.getTime() + 1) };
  const out = file("late.jsonl");
  await expect(runExport(out, { selection, table: late })).rejects.toThrow("Removals are kept for 30 days");
  expect(existsSync(out)).toBe(false);
  await runExport(out, { selection, table: { ...late, now: () => begun } });
});

test("a record that was removed and made again before is left alone, whatever its tombstone says", async () => {
  await emptyTable();
  const line = { ...fc.sample(anyLine(fc.constant(3), ["job"]), 1)[0] };
  await importLines([
    { ...line, version: 1 },
    { type: "job", id: 3, deleted: true },
    { ...line, version: 2 },
  ]);
  expect(await exportSince(await nextMoment())).toBe("");
});

test("a user who was removed and made again since is removed first", async () => {
  await emptyTable();
  const line = userLine(31);
  await importLines([line]);
  const since = await nextMoment();
  await importLines([{ type: "user", id: 31, deleted: true }, line, { type: "user", id: 31, job_position: "Planner" }]);
  const rows: Line[] = rowsOf(await exportSince(since)).map((row) => JSON.parse(row));
  expect(rows).toMatchObject([
    { type: "user", id: 31, deleted: true },
    { type: "user", id: 31, job_position: "Planner" },
  ]);
  expect(await exportSince(await nextMoment())).toBe("");
});

test("a change that says nothing of itself is included", async () => {
  await emptyTable();
  const line = fc.sample(anyLine(fc.constant(3), ["job"]), 1)[0];
  await importLines([line ?? {}]);
  const since = await nextMoment();
  expect(await exportSince(since)).toBe("");
  const Key = { ...recordKey("JOB", 3) };
  await updateRaw({
    Key,
    UpdateExpression: "REMOVE change ADD revision :one",
    ExpressionAttributeValues: { ":one": 1 },
  });
  expect(await exportSince(since)).toContain('{"type":"job","id":3,');
});

test("a timesheet that somebody was taken out of is included, though it has no other revision", async () => {
  await emptyTable();
  const timesheets = [1, 2].map((id) => timesheetLine(id, 1, { driver: { ...xenia, profile_id: 700 + id } }));
  await importLines([userLine(31, { profile_id: 701 }), ...timesheets]);
  const since = await nextMoment();
  await forgetPerson(31, openErasedList({ stage: undefined, directory: file("") }), testContext());
  const rows: Line[] = rowsOf(await exportSince(since)).map((row) => JSON.parse(row));
  expect(rows).toMatchObject([
    { type: "user", id: 31, deleted: true },
    { type: "user", id: 31, deleted: true, version: Number.MAX_SAFE_INTEGER },
    { type: "timesheet", id: 1, driver: { first_name: "Erased" } },
  ]);
  expect(await exportSince(await nextMoment())).toBe("");
});

test("what a schedule's run writes long after it began is included, for as long as any run may take", () => {
  const longestMs = Math.max(
    ...Object.keys(functions).map((name) => timeoutSecondsOf(functions[name as FunctionName]) * 1_000),
  );
  const began = "2026-05-10T03:00:00.000Z";
  const item = { revision: 2 };
  const change = { id: "c", by: "schedule#arn", operation: "mark-overdue", at: began };
  const wasWritten = (afterMs: number) => new Date(Date.parse(began) + afterMs).toISOString();
  expect(isChangedSince({ ...item, change }, wasWritten(longestMs))).toBe(true);
  expect(isChangedSince({ ...item, change }, wasWritten(longestMs + 60_000))).toBe(false);
  expect(isChangedSince({ ...item, change: { ...change, by: "user#7" } }, wasWritten(1))).toBe(false);
});

test("a moment is since itself", () => {
  const removed_before = "2026-05-10T03:00:00.000Z";
  expect(isRemadeSince({ removed_before }, removed_before)).toBe(true);
});

test("the next export has what was written while this one ran, five minutes after the moment that it states", () => {
  expect(nextSince("2026-05-10T03:05:00.000Z")).toBe("2026-05-10T03:00:00.000Z");
});

test("a company's export has its own records, its users and their notifications", async () => {
  await emptyTable();
  const lines = fc.sample(anyLine(fc.integer({ min: 1, max: 60 })), { numRuns: 70, seed: 5 });
  await importLines(lines.map(({ version: _, ...line }) => line));
  const all: Line[] = rowsOf(await exported(file("all.jsonl"))).map((row) => JSON.parse(row));
  const members = new Set(
    all.flatMap(({ type, id, financial_company_id: of }) => (type === "user" && of === 2 ? id : [])),
  );
  const own = all.filter(
    ({ type, id, company_id, user_id }) =>
      (type === "company" && id === 2) ||
      company_id === 2 ||
      (type === "user" && members.has(id)) ||
      members.has(Number(user_id)),
  );
  expect(new Set(own.map(({ type }) => type)).size).toBeGreaterThan(3);
  const selection = { ...everything, companyId: 2 };
  expect(
    rowsOf(await exported(file("own.jsonl"), { selection })),
    "companyId in infra/tools/export/exported-lines.ts says whose a record is: null if no company's",
  ).toEqual(own.map((line) => JSON.stringify(line)));
  const notes = { ...selection, types: ["notification"] as const };
  expect(rowsOf(await exported(file("notes.jsonl"), { selection: notes }))).toEqual(
    own.filter(({ type }) => type === "notification").map((line) => JSON.stringify(line)),
  );
});
