import { expect, test } from "vitest";
import { findHistory } from "../../../../functions/changes/find-changes.ts";
import { keepHistory } from "../../../../functions/workers/write-history.ts";
import { type HistoryQuestion, questions } from "../../../../shared/records/history.ts";
import type { StreamRecord } from "../../../../shared/table/entity.ts";
import { recordKey, scanPage } from "../../../../shared/table/table.ts";
import { putHistory } from "../../../support/records/history.ts";
import { jobLine, timesheetLine } from "../../../support/records/records.ts";
import { useService } from "../../../support/service/service.ts";
import { runImport, streamOf } from "../../../tools/import/run-import.ts";

useService();
const day = Date.parse("2026-05-10T00:00:00.000Z") / 1_000;
const now = new Date("2026-05-20T00:00:00.000Z");
let sequence = 0;

/** A change of a timesheet's state, as the stream has it. */
function changeOf(id: number, revision: number, { by = "user#7", company = 1, second = day } = {}): StreamRecord {
  sequence += 1;
  const key = recordKey("TIMESHEET", id);
  const change = {
    id: `change-${by}-${revision}`,
    by,
    operation: "bulk-update-timesheets",
    at: new Date(second * 1_000).toISOString(),
  };
  const at = (state: number, more: object) => ({ ...key, id, company_id: company, record: { state }, ...more });
  const after = at(revision, { revision, change });
  return {
    eventId: String(sequence),
    key,
    before: at(revision - 1, { revision: revision - 1 }),
    after,
    createdAt: second,
    sequence: String(sequence),
  };
}

/** All changes of one question, by pages of so many; each as "id revision". */
async function readAll(question: HistoryQuestion, limit: number): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  for (let pages = 0; pages === 0 || after !== undefined; pages += 1) {
    if (pages > 60) throw new Error("The pages do not end");
    const page = await findHistory(question, { limit, after, now });
    expect(page.changes.length).toBeLessThanOrEqual(limit);
    found.push(...page.changes.map(({ id, revision }) => `${id} ${revision}`));
    after = page.after;
  }
  return found;
}

test("D41: what has expired is not shown, even while the table still has it", async () => {
  await keepHistory([changeOf(9, 2, { company: 90, second: day - 420 * 86_400 }), changeOf(9, 3, { company: 90 })]);
  expect(await readAll(questions.ofRecord("timesheet", 9), 10)).toEqual(["9 3"]);
  expect(await readAll(questions.ofCompany(90), 10)).toEqual(["9 3"]);
});

test("D41: a change is shown until the second before it expires", async () => {
  await putHistory([{ id: 10, at: new Date(day * 1_000).toISOString(), keptDays: 10 }]);
  const shownAt = async (at: number) =>
    (await findHistory(questions.ofRecord("timesheet", 10), { limit: 10, now: new Date(at) })).changes.length;
  const expires = now.getTime();
  expect([await shownAt(expires - 1_000), await shownAt(expires)]).toEqual([1, 0]);
});

test("D41: a change by hand of an item that has no revision is kept", async () => {
  const { before, after, ...others } = changeOf(8, 2);
  await keepHistory([
    { ...others, before: { ...before, revision: undefined }, after: { ...after, revision: undefined } } as StreamRecord,
  ]);
  expect(await readAll(questions.ofRecord("timesheet", 8), 10)).toHaveLength(1);
});

test("D41: an import of new records costs one change, found by its run; one that changes nothing costs none", async () => {
  const lines = Array.from({ length: 50 }, (_, at) => jobLine(5_000 + at, 3));
  const options = { file: "jobs.jsonl", now };
  await runImport(streamOf(...lines), options);
  const runs = async () => {
    const ofImports = {
      FilterExpression: "begins_with(pk, :run)",
      ExpressionAttributeValues: { ":run": "HISTORY#IMPORT#" },
    };
    return (await scanPage(ofImports)).items.map(({ pk }) => String(pk).slice("HISTORY#IMPORT#".length));
  };
  const [id = "", ...others] = await runs();
  expect(others).toEqual([]);
  const [run, ...further] = (await findHistory(questions.ofChange(id), { limit: 100, now })).changes;
  expect(further).toEqual([]);
  expect(run).toMatchObject({
    type: "import",
    id,
    did: "imported",
    change: { by: `import#${id}`, operation: "import" },
  });
  expect(run?.after).toMatchObject({ file: "jobs.jsonl", created: 50, unchanged: 0, ended_at: expect.any(String) });
  await runImport(streamOf(...lines), options);
  await runImport(streamOf(timesheetLine(1, 3)), { ...options, dryRun: true });
  expect(await runs()).toEqual([id]);
});
