import { expect, test } from "vitest";
import { parseRecordLine, writeRecord } from "../../shared/lines.ts";
import { setJobTimers } from "../../shared/records/jobs.ts";
import { findListPage } from "../../shared/records/lists.ts";
import { setTimesheetStates } from "../../shared/records/timesheets.ts";
import { countList } from "../../shared/records/totals.ts";
import type { ListName } from "../../shared/table/counters.ts";
import { type RecordKind, recordKey } from "../../shared/table/table.ts";
import { callerContext, testContext } from "../support/records/contexts.ts";
import { invoiceLine, jobLine, timesheetLine } from "../support/records/records.ts";
import { readRecord } from "../support/records/store.ts";
import { faultsOf, readItem, write, writtenAt } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";

const admin = { userId: 1, role: "admin", companyId: null, sessionId: "s" } as const;

useService();

async function idsIn(list: ListName, states: readonly string[], scope: number): Promise<number[]> {
  const { items } = await findListPage({ list, states, scope }, { limit: 50, beforeId: undefined, skip: 0 });
  return items.map(({ id }) => id);
}

async function revisionOf(kind: RecordKind, id: number): Promise<number> {
  return Number((await readItem(recordKey(kind, id)))?.revision);
}

test("D35: fields left out stay, and every write raises the revision", async () => {
  await write(invoiceLine(20, 1));
  const revision = await revisionOf("INVOICE", 20);
  expect(await write({ type: "invoice", id: 20, total: "9.50" })).toBe("updated");
  const { type: _, id: __, company_id: ___, ...fields } = invoiceLine(20, 1);
  expect(await readRecord("INVOICE", 20)).toEqual({ ...fields, total: "9.50" });
  expect(await revisionOf("INVOICE", 20)).toBe(revision + 1);
});

test.each([
  { total: "1250" },
  { total: "1250.0" },
  { total: "1250.000000", vat_percentage: "20" },
  { uuid: "abcdef00-0000-4000-8000-ABCDEF000021" },
  { number: "\u00a0INV-2026-00021 ", company_name: "\tHarbour Logistics\u200b" },
])("D35: a line equal in value changes nothing: %j", async (respelt) => {
  const uuid = "abcdef00-0000-4000-8000-abcdef000021";
  await write(invoiceLine(21, 1, { uuid }));
  const before = await readItem(recordKey("INVOICE", 21));
  expect(await write({ type: "invoice", id: 21, ...respelt })).toBe("unchanged");
  expect(await readItem(recordKey("INVOICE", 21))).toEqual(before);
  expect(await write(invoiceLine(21, 1, { uuid, ...respelt, due_date: "2126-06-02" }))).toBe("updated");
  expect(await readRecord("INVOICE", 21)).toEqual({ ...(before?.record as object), due_date: "2126-06-02" });
  await write({ type: "invoice", id: 21, deleted: true });
});

test.each([
  ["1250.00", "1250.01"],
  ["100", "1000"],
  ["100", "10"],
  ["0.10", "0.010"],
  ["-1.00", "1.00"],
])("D35: an amount of another value is written as sent: %s, then %s", async (stored, sent) => {
  await write(timesheetLine(22, 1, { total: stored }));
  expect(await readRecord("TIMESHEET", 22)).toMatchObject({ total: stored });
  expect(await write({ type: "timesheet", id: 22, total: sent })).toBe("updated");
  expect(await readRecord("TIMESHEET", 22)).toMatchObject({ total: sent });
  await write({ type: "timesheet", id: 22, deleted: true });
});

test("D35: a number of -0 or with an exponent changes nothing where 0 or its value is stored", async () => {
  await write(jobLine(23, 1, { number: 0 }));
  const before = await readItem(recordKey("JOB", 23));
  expect(
    await writeRecord(
      parseRecordLine(JSON.parse('{"type":"job","id":2.3e1,"number":-0.0}'), "GB"),
      testContext(writtenAt),
    ),
  ).toBe("unchanged");
  expect(await readItem(recordKey("JOB", 23))).toEqual(before);
});

test("D35: a new record must be whole: what is missing is named, and nothing is written", async () => {
  const { company_id: _, number: __, ...partial } = invoiceLine(30, 1);
  expect(await faultsOf(() => write(partial))).toEqual(["/number missing", "/company_id missing"]);
  expect(await readItem(recordKey("INVOICE", 30))).toBeUndefined();
});

test("D35: times that are left out of a new record are now", async () => {
  await write(invoiceLine(31, 1, { created_at: undefined }));
  await write(jobLine(31, 1, { published_at: undefined }));
  expect(await readRecord("INVOICE", 31)).toMatchObject({ created_at: writtenAt.toISOString() });
  expect(await readRecord("JOB", 31)).toMatchObject({ published_at: writtenAt.toISOString() });
});

test.each([
  { state: "paid" },
  { state: undefined, payment_state: "paid" },
  { state: "paid", payment_state: "paid" },
])("D17: a timesheet's two states agree, given as %j", async (states) => {
  await write(timesheetLine(40, 1));
  await write({ type: "timesheet", id: 40, ...states });
  expect(await readRecord("TIMESHEET", 40)).toMatchObject({ state: "paid", payment_state: "paid" });
  await write({ type: "timesheet", id: 40, deleted: true });
});

test("D2: a record that moves to another company or state leaves its old lists", async () => {
  await write(invoiceLine(50, 51));
  await write({ type: "invoice", id: 50, company_id: 52 });
  expect(await idsIn("INVOICES", ["pending"], 51)).toEqual([]);
  expect(await idsIn("INVOICES", ["pending"], 52)).toEqual([50]);
  await write({ type: "invoice", id: 50, state: "paid" });
  expect(await idsIn("INVOICES", ["pending"], 52)).toEqual([]);
  expect(await idsIn("INVOICES", ["paid"], 52)).toEqual([50]);
});

test.each([
  [undefined, "2026-05-10", "pending"],
  [undefined, "2026-05-09", "overdue"],
  ["pending", "2026-05-10", "pending"],
  ["pending", "2026-05-09", "overdue"],
  ["paid", "2026-05-09", "paid"],
  ["overdue", "2026-05-10", "overdue"],
] as const)("D20: of state %s and due on %s, an invoice written on 10 May is %s, in its list and totals, again and again", async (state, due_date, stored) => {
  const company = 600;
  await write({ type: "invoice", id: 60, deleted: true });
  expect(await write(invoiceLine(60, company, { state, due_date }))).toBe("created");
  expect(await readRecord("INVOICE", 60)).toMatchObject({ state: stored });
  expect(await idsIn("INVOICES", [stored], company)).toEqual([60]);
  expect(await countList({ list: "INVOICES", scope: company, states: [stored] })).toBe(1);
  expect(await write(invoiceLine(60, company, { state, due_date }))).toBe("unchanged");
  expect(await write({ type: "invoice", id: 60, total: "7.00" })).toBe("updated");
  expect(await readRecord("INVOICE", 60)).toMatchObject({ state: stored, total: "7.00" });
});

test("D20: any later line about an invoice past due makes it overdue; a state in a line wins", async () => {
  await write(invoiceLine(60, 1, { state: "pending", due_date: "2026-05-11" }));
  await write({ type: "invoice", id: 60, total: "7.00" }, { now: new Date("2026-05-12T12:00:00Z") });
  expect(await readRecord("INVOICE", 60)).toMatchObject({ state: "overdue" });
  await write({ type: "invoice", id: 60, state: "pending", due_date: "2026-12-31" });
  expect(await readRecord("INVOICE", 60)).toMatchObject({ state: "pending" });
  await write({ type: "invoice", id: 60, state: "overdue", due_date: "2026-12-31" });
  expect(await readRecord("INVOICE", 60)).toMatchObject({ state: "overdue" });
});

test.each([
  ["2026-05-10", "today", "pending"],
  ["2026-07-01", "later", "pending"],
  ["2026-05-09", "forward, but still past", "overdue"],
  ["2026-04-01", "back", "overdue"],
])("D20: an overdue invoice whose due date moves to %s (%s) is %s", async (due_date, _, state) => {
  await write(invoiceLine(61, 1, { state: "overdue", due_date: "2026-05-01" }));
  await write({ type: "invoice", id: 61, due_date });
  expect(await readRecord("INVOICE", 61)).toMatchObject({ state, due_date });
});

test.each([
  ["2026-05-10T23:30:00.000Z", "2026-05-10", "overdue"],
  ["2026-05-10T22:30:00.000Z", "2026-05-10", "pending"],
])("D20: at %s, in a summer an hour ahead of UTC, an overdue invoice that is due on %s is %s", async (now, due_date, state) => {
  await write(invoiceLine(62, 1, { state: "overdue", due_date: "2026-05-01" }));
  await write({ type: "invoice", id: 62, due_date }, { now: new Date(now) });
  expect(await readRecord("INVOICE", 62)).toMatchObject({ state });
});

test("D24: a job's timer survives an import", async () => {
  await write(jobLine(70, 1));
  await setJobTimers([70], "all", { timer: 60, timer_expires_at: writtenAt.toISOString() }, callerContext(admin));
  await write({ type: "job", id: 70, title: "Van driver" });
  expect(await readItem(recordKey("JOB", 70))).toMatchObject({ timer: 60, timer_expires_at: writtenAt.toISOString() });
});

test("D35: a version is written only over a lower one; a line without a version wins and keeps it", async () => {
  expect(await write(jobLine(80, 1, { version: 5 }))).toBe("created");
  expect(await write({ type: "job", id: 80, version: 5, title: "same" })).toBe("stale");
  expect(await write({ type: "job", id: 80, version: 4, deleted: true })).toBe("stale");
  expect(await write({ type: "job", id: 80, title: "from an import" })).toBe("updated");
  expect(await write({ type: "job", id: 80, version: 5, title: "late" })).toBe("stale");
  expect(await write({ type: "job", id: 80, version: 6, title: "next" })).toBe("updated");
  expect(await readRecord("JOB", 80)).toMatchObject({ title: "next" });
  expect(await write({ type: "job", id: 80, version: 7, deleted: true })).toBe("removed");
});

test("a record that is removed and made again has none of the revisions it had before", async () => {
  await write(jobLine(85, 1));
  for (const title of ["one", "two", "three"]) await write({ type: "job", id: 85, title });
  const last = await revisionOf("JOB", 85);
  await write({ type: "job", id: 85, deleted: true });
  await write(jobLine(85, 1));
  expect(await revisionOf("JOB", 85)).toBeGreaterThan(last);
});

test("parallel changes of one record lose nothing", async () => {
  await write(timesheetLine(90, 1));
  const revision = await revisionOf("TIMESHEET", 90);
  const changes = [
    { total: "7.00" },
    { currency: "EUR" },
    { job_title: "Shunter" },
    { date: "2026-05-05" },
    { state: "paid" },
  ];
  const lines = Array.from({ length: 20 }, (_, at) => ({ type: "timesheet", id: 90, ...changes[at % changes.length] }));
  const outcomes = await Promise.all(lines.map((line) => write(line)));
  expect(outcomes.filter((outcome) => outcome === "updated")).toHaveLength(changes.length);
  expect(await readRecord("TIMESHEET", 90)).toMatchObject(Object.assign({}, ...changes));
  expect(await revisionOf("TIMESHEET", 90)).toBe(revision + changes.length);
});

test("parallel lines that create one record create it once", async () => {
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => write(invoiceLine(91, 1))));
  expect(outcomes.toSorted()).toEqual(["created", ...Array.from({ length: 9 }, () => "unchanged")]);
});

test("a bulk update and an import of one timesheet both count", async () => {
  await write(timesheetLine(92, 1));
  await Promise.all([
    setTimesheetStates([92], "all", "paid", callerContext(admin)),
    write({ type: "timesheet", id: 92, total: "3.00" }),
  ]);
  expect(await readRecord("TIMESHEET", 92)).toMatchObject({ state: "paid", payment_state: "paid", total: "3.00" });
});
