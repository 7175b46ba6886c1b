import { expect, test } from "vitest";
import { findHistory } from "../../../shared/db/history/find-history.ts";
import { type HistoryQuestion, questions } from "../../../shared/db/history/history-items.ts";
import { keepHistory } from "../../../shared/db/history/keep-history.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import type { StreamRecord } from "../../../shared/db/table/stream-records.ts";
import { scanPage } from "../../../shared/db/table/table.ts";
import { logChange } from "../../support/records/change-log.ts";
import { jobLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { write } from "../../support/records/writes.ts";
import { useService } from "../../support/service/service.ts";
import { runImport, streamOf } from "../../tools/import/run-import.ts";

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

test("D41: of a record that is removed, made again and removed again each change says who made it, however late it is kept", async () => {
  const made = [
    ["user#1", jobLine(61, 1)],
    ["user#2", { type: "job", id: 61, deleted: true }],
    ["user#3", jobLine(61, 1)],
    ["user#4", { type: "job", id: 61, deleted: true }],
    ["user#5", { type: "job", id: 61, deleted: true, version: 7 }],
  ] as const;
  const changes: StreamRecord[] = [];
  for (const [by, line] of made) {
    const change = { id: by, by, operation: "test", at: now.toISOString() };
    changes.push(...(await logChange(recordKey("JOB", 61), () => write(line, { change }))));
  }
  await keepHistory(changes);
  const { changes: kept } = await findHistory(questions.ofRecord("job", 61), { limit: 10, now });
  expect(kept.map(({ did, change }) => `${did} ${change?.by}`)).toEqual([
    "removed user#4",
    "created user#3",
    "removed user#2",
    "created user#1",
  ]);
});

test("D41: of a user who was removed no name is left, in whatever order the changes come; the next with that number is another", async () => {
  const key = recordKey("USER", 51);
  const made = [
    () => write(userLine(51, { first_name: "Xenia", email: "xenia@example.com", profile_id: 700 })),
    () => write({ type: "user", id: 51, first_name: "Xandra", role: "driver" }),
    () => write({ type: "user", id: 51, deleted: true }),
    () => write(userLine(51, { first_name: "Bo", email: "bo@example.com" })),
  ];
  const changes: StreamRecord[] = [];
  for (const each of made) changes.push(...(await logChange(key, each)));
  const [created, updated, removed, next] = changes.map((each) => [each]);
  for (const batch of [updated, removed, next, created, changes]) {
    await keepHistory(batch ?? []);
    const { changes: kept } = await findHistory(questions.ofRecord("user", 51), { limit: 10, now: new Date() });
    if (batch !== updated) expect(JSON.stringify(kept)).not.toMatch(/X(enia|andra)|xenia@/);
  }
  const { changes: kept } = await findHistory(questions.ofRecord("user", 51), { limit: 10, now: new Date() });
  expect(kept).toMatchObject([
    { did: "created", after: { first_name: "Bo", email: "bo@example.com" } },
    { did: "removed", before: { role: "driver", profile_id: 700 } },
    { did: "updated", before: { role: "operator" }, after: { role: "driver" } },
    { did: "created", after: { role: "operator", profile_id: 700 } },
  ]);
});
