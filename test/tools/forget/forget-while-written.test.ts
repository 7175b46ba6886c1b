import { expect, test, vi } from "vitest";
import { openErasedList } from "../../../infra/tools/forget/erased-list.ts";
import { forgetPerson } from "../../../infra/tools/forget/forget-person.ts";
import { replaceTraces } from "../../../infra/tools/forget/traces.ts";
import { notificationKey } from "../../../shared/notifications/notifications.ts";
import { findUser } from "../../../shared/people/users.ts";
import { setTimesheetStates } from "../../../shared/records/timesheets.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { updateIf } from "../../../shared/table/writes.ts";
import { beforeCalls } from "../../support/faults/before-calls.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { callerContext, testContext } from "../../support/records/contexts.ts";
import { notificationLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem, write } from "../../support/records/writes.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { useService } from "../../support/service/service.ts";
import { emptyTable } from "../export/run-export.ts";
import { xenia } from "../xenia.ts";

const admin = { userId: 1, role: "admin", companyId: null, sessionId: "s" } as const;

useService();
const proxy = useNetwork();

test("a payment that read a timesheet before its driver was forgotten does not bring the name back", async () => {
  await store([timesheetLine(1, 1, { driver: xenia })]);
  const release = proxy.hold("TransactWriteItems");
  const paying = setTimesheetStates([1], "all", "paid", callerContext(admin));
  await proxy.held("TransactWriteItems");
  const person = { id: 7, isUser: false, profiles: new Map([[xenia.profile_id, true]]), names: [xenia] };
  const search = { person, isDryRun: false, timesheetIds: new Set<number>() };
  expect(await replaceTraces(search)).toMatchObject({ timesheet: 1 });
  expect(await replaceTraces(search)).toMatchObject({ timesheet: 0 });
  release();
  await paying;
  const stored = await readItem(recordKey("TIMESHEET", 1));
  expect(stored).toMatchObject({ record: { state: "paid" }, erased_at: expect.any(String) });
  expect(JSON.stringify(stored)).not.toContain(xenia.last_name);
});

const paid = [11, 12, 13, 14, 15];
const storedNames = async () =>
  JSON.stringify(await Promise.all(paid.map((id) => readItem(recordKey("TIMESHEET", id))))).match(/Xenia|Erased/g);

/** A user whose five timesheets can be paid, and their erasure, which counts its passes over the table. */
async function erasure() {
  await emptyTable();
  const { profile_id, first_name, last_name } = xenia;
  await store([userLine(7, { profile_id, first_name, last_name, role: "driver" })]);
  await store(paid.map((id) => timesheetLine(id, 1, { driver: xenia })));
  const list = openErasedList({ stage: undefined, directory: newFolder() });
  let passes = 0;
  const onRead = (_: number, isFirst: boolean) => {
    if (isFirst) passes += 1;
  };
  return { run: () => forgetPerson(7, list, testContext(), onRead), passes: () => passes };
}

test("a writer that pays the same timesheets without pause holds nobody's erasure up", async () => {
  const { run, passes } = await erasure();
  let isDone = false;
  let payments = 0;
  const pay = async () => {
    for (; !isDone && payments < 5_000; payments += 1) {
      await setTimesheetStates(paid, "all", payments % 2 ? "pending" : "paid", callerContext(admin));
    }
  };
  // On a busy machine the whole erasure would else pass between two payments.
  const untilPaid = async (command: string, input: object) => {
    if (command !== "UpdateItemCommand" || !JSON.stringify(input).includes("TIMESHEET#")) return;
    await vi.waitUntil(() => payments > 3, { timeout: 40_000, interval: 1 });
  };
  const paying = pay();
  const forgotten = await beforeCalls(untilPaid, run);
  isDone = true;
  await paying;
  // What the writer was faster with for many tries is found by the next pass again.
  expect(forgotten?.traces.timesheet).toBeGreaterThanOrEqual(5);
  expect(forgotten?.kept).toBeUndefined();
  expect(passes()).toBeLessThanOrEqual(10);
  expect([await findUser(7), await storedNames()]).toEqual([undefined, Array(5).fill("Erased")]);
}, 60_000);

test("a payment before each of many writes of one pass costs no pass more", async () => {
  const { run, passes } = await erasure();
  let payments = 0;
  const pay = async (command: string, input: object) => {
    if (command !== "UpdateItemCommand" || !JSON.stringify(input).includes("TIMESHEET#") || payments >= 30) return;
    payments += 1;
    await setTimesheetStates(paid, "all", payments % 2 ? "paid" : "pending", callerContext(admin));
  };
  expect(await beforeCalls(pay, run)).toMatchObject({ traces: { timesheet: 5 }, kept: undefined });
  expect([payments, passes()]).toEqual([30, 3]);
  expect(await storedNames()).toEqual(Array(5).fill("Erased"));
});

test("a notification that others write meanwhile is decided again as well", async () => {
  const { run, passes } = await erasure();
  const key = notificationKey(8, 21);
  await store([userLine(8)]);
  const params = { type: "submitted", date: "2026-05-04", text: "Xenia Quill" };
  await write(notificationLine(21, 8, { record_type: "Timesheet", record_id: 11, params }));
  let writes = 0;
  const readMeanwhile = async (command: string, input: object) => {
    if (command !== "UpdateItemCommand" || !JSON.stringify(input).includes("NOTIFICATION#") || writes >= 24) return;
    writes += 1;
    if (writes % 2) await updateIf(key, { set: { revision: 100 + writes } });
  };
  await beforeCalls(readMeanwhile, run);
  expect(passes()).toBe(3);
  expect(JSON.stringify(await readItem(key))).not.toMatch(/Xenia|2026-05-04/);
  expect((await readItem(key))?.revision).toBe(123);
});

test("a timesheet that is removed while its driver is forgotten is no trace, and stays removed", async () => {
  const { run } = await erasure();
  let isRemoved = false;
  const remove = async (command: string, input: object) => {
    if (isRemoved || command !== "UpdateItemCommand" || !JSON.stringify(input).includes("TIMESHEET#")) return;
    isRemoved = true;
    for (const id of paid) await write({ type: "timesheet", id, deleted: true });
  };
  expect(await beforeCalls(remove, run)).toMatchObject({ traces: { timesheet: 0 }, kept: undefined });
  expect([isRemoved, await storedNames()]).toEqual([true, null]);
});
