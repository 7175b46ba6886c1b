import { createReadStream } from "node:fs";
import { expect, test } from "vitest";
import { markOverdue } from "../../../functions/workers/mark-overdue.ts";
import { deliverNotification } from "../../../functions/workers/notification-delivery.ts";
import { csvReader } from "../../../infra/tools/import/csv-lines.ts";
import { registeredUser } from "../../../shared/people/shown-user.ts";
import { createUser, findStoredUser, replacePassword } from "../../../shared/people/users.ts";
import { setJobTimers } from "../../../shared/records/jobs.ts";
import { setTimesheetStates } from "../../../shared/records/timesheets.ts";
import { transact } from "../../../shared/table/writes.ts";
import { callerContext, testContext } from "../../support/records/contexts.ts";
import { expectExactCounters } from "../../support/records/exact-counters.ts";
import { invoiceLine, jobLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { fc } from "../../support/service/properties.ts";
import { useService } from "../../support/service/service.ts";
import { importLines, runImport } from "../import/run-import.ts";
import { anyLine, inOrder, type Line, rowsOf } from "./random-lines.ts";
import { emptyTable, exported, runExport, selected, useFolder } from "./run-export.ts";

useService();

const file = useFolder();
const records = usualFreshOrFull(120, 1_000, 20_000);

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
  const rows = rowsOf(first);
  // One by one: a difference of many records is too long to be shown.
  for (const [at, row] of rows.entries()) expect(JSON.parse(row)).toEqual(lines[at]);
  expect(rows.length).toBe(lines.length);

  await emptyTable();
  await importLines(rows);
  expect((await exported(file("again.jsonl"), { pageItems: 100 })) === first).toBe(true);
  await expectExactCounters();
  await emptyTable();
}, 3_600_000);

test("a table comes back through import --csv with the same bytes, also where a text looks like a formula or a number", async () => {
  await emptyTable();
  const texts = ["-12.50", "+44", "a;=1"];
  await importLines(texts.map((number, at) => invoiceLine(at + 1, 1, { number, total: "-12.50" })));
  const selection = selected({ csv: true, types: "invoice" });
  const first = await exported(file("first.jsonl"), { selection });
  for (const text of [...texts.map((number) => `"number":"${number}"`), '"total":"-12.50"'])
    expect(first).toContain(text);
  const { files } = await runExport(file("first.csv"), { selection, csv: true });
  expect(files).toHaveLength(1);
  await emptyTable();
  const { summary, errors } = await runImport(createReadStream(files[0] ?? ""), { read: csvReader("invoice") });
  expect([summary.created, summary.failed, errors]).toEqual([3, 0, []]);
  expect(await exported(file("second.jsonl"), { selection })).toBe(first);
});

test("what the service itself has made of records comes back as well: registrations, states, notifications", async () => {
  await emptyTable();
  const now = new Date();
  const caller = { userId: 7, role: "admin", companyId: null, sessionId: "s" } as const;
  const due = { from: "2026-01-01", to: "2026-01-31", issued_date: "2026-02-01", due_date: "2126-03-01" };
  const invoice = invoiceLine(1, 1, { ...due, state: "pending" });
  await importLines([userLine(7), timesheetLine(1, 1), jobLine(1, 1), invoice]);
  for (const [at, login] of ["new@example.com", "+447400123456"].entries()) {
    await transact([createUser(registeredUser(1_000_000_000 + at, login), "hash", testContext())]);
  }
  const registered = await findStoredUser(1_000_000_000);
  if (!registered) throw new Error("The user was not stored");
  await transact(
    replacePassword(registered, { passwordHash: "h", endedKeys: 0, names: {}, locale: "de" }, testContext(now)),
  );
  await setTimesheetStates([1], "all", "paid", callerContext(caller));
  await setJobTimers([1], "all", { timer: 5, timer_expires_at: now.toISOString() }, callerContext(caller));
  expect(await markOverdue("2126-05-01", testContext())).toBe(1);
  const event = { eventId: "e", record_type: "Timesheet", record_id: 1, params: { type: "paid" } };
  await deliverNotification([7], event, testContext(now));
  const first = await exported(file("made.jsonl"));
  expect(first).toContain('"state":"overdue"');
  expect(first).toContain('"payment_state":"paid"');
  expect(rowsOf(first).filter((row) => row.includes('"first_name":""'))).toHaveLength(2);
  await emptyTable();
  await importLines(rowsOf(first));
  expect(await exported(file("back.jsonl"))).toBe(first);
}, 600_000);
