import { AsyncLocalStorage } from "node:async_hooks";
import { Stack } from "aws-cdk-lib";
import { beforeAll, expect, test } from "vitest";
import { addQueues, createQueue } from "../../../infra/constructs/compute/work-queue.ts";
import { RepairRole } from "../../../infra/constructs/monitoring/roles.ts";
import { RecordsTable } from "../../../infra/constructs/stores/records-table.ts";
import { guardedPartitions } from "../../../infra/functions/function-row.ts";
import { tableNameOf } from "../../../infra/stages/names.ts";
import { printHistory } from "../../../infra/tools/history.ts";
import { findCountedCompanies } from "../../../infra/tools/recount/counted-companies.ts";
import { recount } from "../../../infra/tools/recount/recount-lists.ts";
import { counterWrites } from "../../../shared/table/counters.ts";
import { transact } from "../../../shared/table/writes.ts";
import { stackBeside } from "../../infra/stack.ts";
import { fullStage } from "../../infra/stages/owned-stage.ts";
import { watchCalls } from "../../support/faults/aws-calls.ts";
import { changeIdOf, putHistory } from "../../support/records/history.ts";
import * as lines from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { useService } from "../../support/service/service.ts";
import { runImport, streamOf } from "../../tools/import/run-import.ts";
import { runTool } from "../../tools/machine.ts";
import { repairCommands } from "../runbook/commands-by-role.ts";
import { compareRights } from "./compare-rights.ts";
import { neededRights } from "./needed-rights.ts";
import type { RecordedNeed } from "./recordings.ts";
import { readStatement } from "./role-rights.ts";

useService();
const caller = "repair";
const stack = stackBeside((app) => {
  const made = new Stack(app, "Roles");
  const { table } = new RecordsTable(made, "Records", { ...fullStage, name: tableNameOf(fullStage) });
  const undelivered = createQueue(made, "Undelivered");
  new RepairRole(made, "Repair", { stage: fullStage, table, queues: addQueues(made, fullStage), undelivered });
  return made;
});
const given = [...stack.rights().values()].flat().map(readStatement);
const role = { caller, settings: { TABLE_NAME: "RecordsTable" }, given };

const leadingKeys = "dynamodb:LeadingKeys";
const needs = new Map<string, RecordedNeed[]>();
const recorded = new AsyncLocalStorage<RecordedNeed[]>();
watchCalls((call, send) => {
  recorded.getStore()?.push(...neededRights(call).map((need) => ({ caller, ...need })));
  return send();
});

async function needsOf(work: () => Promise<unknown>): Promise<RecordedNeed[]> {
  const own: RecordedNeed[] = [];
  await recorded.run(own, work);
  expect(own.length).toBeGreaterThan(0);
  return own;
}

const importOf = (...records: readonly object[]) => needsOf(() => runImport(streamOf(...records), { notifies: true }));
const wrong = (companyId: number, list: "INVOICES" | "TIMESHEETS", month: string, figure: string) =>
  counterWrites([{ list, companyId, month, figures: new Map([[figure, 4]]) }], 0);

beforeAll(async () => {
  await store([
    lines.companyLine(1),
    lines.companyLine(5),
    lines.userLine(2),
    lines.timesheetLine(3, 1),
    lines.invoiceLine(4, 1),
    lines.jobLine(5, 1),
  ]);
  await putHistory([{ id: 900, by: "user#2", changeId: changeIdOf(0) }]);
});

test("the repair role may recount all companies and repair their counters", async () => {
  await transact([...wrong(91, "INVOICES", "ALL", "paid"), ...wrong(1, "TIMESHEETS", "2026-04", "paid:03")]);
  const own = await needsOf(async () => {
    for (const companyId of (await findCountedCompanies()).keys())
      for (const list of ["INVOICES", "TIMESHEETS"] as const)
        await recount({ list, companyId }, { repairs: true, apartMs: 1, lagMs: 1 });
  });
  needs.set("recount", own);
  expect(compareRights([role], own).missing).toEqual([]);
});

test("the repair role may import companies, jobs, invoices and timesheets: new, changed and removed ones", async () => {
  const own = [
    ...(await importOf(lines.companyLine(6), lines.timesheetLine(7, 1), lines.invoiceLine(8, 1), lines.jobLine(9, 1))),
    ...(await importOf(lines.invoiceLine(4, 1, { number: "HL-99" }), lines.timesheetLine(3, 5), lines.jobLine(5, 5))),
    ...(await importOf(
      ...(["invoice", "timesheet", "job"] as const).map((type, at) => ({ type, id: [4, 3, 5][at], deleted: true })),
      { type: "company", id: 6, deleted: true },
    )),
  ];
  needs.set("import", own);
  expect(compareRights([role], own).missing).toEqual([]);
});

test("the repair role may print the history of a record, of a user and of a change", async () => {
  const own = await needsOf(async () => {
    for (const subject of [
      { record_type: "Timesheet", record_id: 900 },
      { record_type: "Invoice", record_id: 8 },
      { record_type: "User", record_id: 2 },
      { change_id: changeIdOf(0) },
    ] as const)
      await runTool(() => printHistory(subject));
  });
  needs.set("history", own);
  expect(compareRights([role], own).missing).toEqual([]);
});

test("the repair role may import no user and no notification, which the runbook leaves to an administrator", async () => {
  for (const line of [lines.userLine(2, { first_name: "Olivia" }), lines.notificationLine(6, 2)]) {
    const { missing } = compareRights([role], await importOf(line));
    expect(missing).not.toEqual([]);
  }
});

const of = (action: string, partition: string, reading = {}): RecordedNeed => {
  const context = { [leadingKeys]: [partition], ...reading };
  return { caller, action: `dynamodb:${action}`, resource: "<TABLE_NAME>", context };
};
const isAllowed = (need: RecordedNeed) => compareRights([role], [need]).missing.length === 0;
const reads = ["GetItem", "BatchGetItem", "Query"];
const everything = { "dynamodb:Select": ["ALL_ATTRIBUTES"] };
const only = (...attributes: string[]) => {
  return { "dynamodb:Attributes": attributes, "dynamodb:Select": ["SPECIFIC_ATTRIBUTES"] };
};

test("the repair role reads of users what the history shows of them, and nothing that proves who a client is", () => {
  const asked = [...needs.values()].flat().filter(({ context }) => context[leadingKeys]?.includes("USER#"));
  expect(new Set(asked.map(({ action }) => action))).toEqual(new Set(["dynamodb:BatchGetItem"]));
  expect(reads.filter((each) => isAllowed(of(each, "USER#", only("pk", "sk", "record"))))).toEqual(["BatchGetItem"]);
  const kept = ["seed", "n", "epoch", "session_epoch", "token", "hash", "reset_hash", "endpoint_arn", "family"];
  const refused = kept.filter((each) => !isAllowed(of("BatchGetItem", "USER#", only("pk", "sk", "record", each))));
  expect(refused).toEqual(kept);
  expect(reads.filter((each) => isAllowed(of(each, "USER#", everything)) || isAllowed(of(each, "USER#")))).toEqual([]);
});

test("of the guarded partitions the repair role reads history, and writes the runs of imports alone", () => {
  const allowed = (actions: readonly string[], partitions: readonly string[]) =>
    partitions.filter((each) => actions.some((action) => isAllowed(of(action, each, everything))));
  const all = [...guardedPartitions, "HISTORY#IMPORT#"];
  expect(allowed(reads, all)).toEqual(["HISTORY#", "HISTORY#IMPORT#"]);
  expect(allowed(["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"], all)).toEqual(["HISTORY#IMPORT#"]);
  expect(allowed(["Scan", "DeleteTable", "PartiQLUpdate"], ["COMPANY#"])).toEqual([]);
});

test("the repair role has no right on the table that none of its commands needs", () => {
  expect([...needs.keys()]).toEqual(repairCommands);
  const { unused } = compareRights([role], [...needs.values()].flat());
  expect(unused.filter((each) => each.includes("dynamodb:"))).toEqual([
    expect.stringContaining("dynamodb:DescribeTable"),
  ]);
});
