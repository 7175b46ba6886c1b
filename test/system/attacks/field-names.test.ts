import { expect, test } from "vitest";
import { handler as listChangesHandler } from "../../../functions/changes/list-changes.ts";
import { handler as payHandler } from "../../../functions/finance/bulk-update-timesheets.ts";
import { handler as listHandler } from "../../../functions/finance/list-timesheets.ts";
import { handler as notificationsHandler } from "../../../functions/notifications/list-notifications.ts";
import { handler as deliver } from "../../../functions/workers/deliver-notifications.ts";
import { handler as take } from "../../../functions/workers/intake.ts";
import { listChanges } from "../../../shared/contract/changes.ts";
import { bulkUpdateTimesheets, listTimesheets } from "../../../shared/contract/finance.ts";
import { listNotifications } from "../../../shared/contract/notifications.ts";
import { keepHistory } from "../../../shared/db/history/keep-history.ts";
import { fromAttributes, toAttributes } from "../../../shared/db/table/attributes.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import { logChange } from "../../support/records/change-log.ts";
import { callerLine, notificationLine, timesheetLine } from "../../support/records/records.ts";
import { openTestSession } from "../../support/records/sessions.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";
import { drain, nothingFailed, queueEvent } from "../../support/workers/workers.ts";
import { emptyTable, exported, useFolder } from "../../tools/export/run-export.ts";
import { runImport, streamOf } from "../../tools/import/run-import.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const names = ["__proto__", "prototype", "constructor", "hasOwnProperty", "toString", "valueOf", "__defineGetter__"];

/** An object with fields of these names, and with such objects in it. */
const odd = oddObject(2);

function oddObject(levels: number): object {
  const inner = levels === 0 ? [null, "Set", 1] : [{ name: "Set" }, oddObject(levels - 1), [oddObject(levels - 1)]];
  return Object.fromEntries(names.map((name, at) => [name, inner[at % inner.length]]));
}

/** All of a value, in an order of its own: a matcher may take a field called `__proto__` for the prototype. */
function entriesOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, entriesOf(inner)] as const);
  return Array.isArray(value) ? ["array", ...entries] : entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
}

const known = { id: 1, start_at: "2026-05-04T08:00:00.000Z", end_at: "2026-05-04T08:30:00.000Z" };
const breaks = [{ ...odd, ...known, duration: { ...odd, hours: 0, minutes: 30 } }];
const timelog = { ...timesheetLine(5, 1).timelog, breaks, duration: { ...odd, hours: 8 } };
const timesheet = timesheetLine(5, 1, { timelog });
const notification = notificationLine(6, admin.id, { params: { ...odd, type: "published" } });

useService();
const file = useFolder();

async function expectShown(): Promise<void> {
  const { timesheets } = (await call(listHandler, listTimesheets, { as: admin })).body;
  expect(entriesOf(timesheets[0].timelog)).toEqual(entriesOf(timelog));
  const { notifications } = (await call(notificationsHandler, listNotifications, { as: admin })).body;
  const params = { ...notification.params, text: "A job was published" };
  expect(entriesOf(notifications[0].params)).toEqual(entriesOf(params));
}

async function importLines(...lines: (object | string)[]): Promise<void> {
  const { summary, errors } = await runImport(streamOf(...lines));
  expect([errors, summary.failed]).toEqual([[], 0]);
}

test("attributes keep fields of any name, at any depth", () => {
  const back = fromAttributes(JSON.parse(JSON.stringify(toAttributes(odd))));
  expect(entriesOf(back)).toEqual(entriesOf(odd));
  expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
});

test("D36: an open object keeps fields of any name: imported, listed, changed, exported and imported again", async () => {
  await importLines(callerLine(admin), timesheet, notification);
  await openTestSession(admin.id);
  await expectShown();

  const body = { timesheet: { timesheet_ids: [5], state: "paid", passcode: "4711" } };
  expect((await call(payHandler, bulkUpdateTimesheets, { as: admin, body })).status).toBe(200);
  await expectShown();

  const first = await exported(file("first.jsonl"));
  const rows = first.trim().split("\n");
  expect(rows).toHaveLength(3);
  await emptyTable();
  await importLines(...rows);
  expect(await exported(file("again.jsonl"))).toBe(first);
  await expectShown();
});

test("D41: the history of a change shows fields of any name, as they were and as they are", async () => {
  const withNote = (note: unknown) => {
    // A larger value would be cut.
    const duration = Object.fromEntries([...Object.entries(oddObject(0)), ["__proto__", note], ["hours", 8]]);
    return timesheetLine(8, 1, { timelog: { ...timesheetLine(8, 1).timelog, duration } });
  };
  await importLines(withNote(null));
  const change = () => importLines(withNote({ note: "late" }));
  const changes = await logChange(recordKey("TIMESHEET", 8), change);
  expect(changes).toHaveLength(1);
  expect(await logChange(recordKey("TIMESHEET", 8), change)).toEqual([]);
  await keepHistory(changes);
  const query = { record_type: "Timesheet", record_id: "8" };
  const [{ fields }] = (await call(listChangesHandler, listChanges, { as: admin, query })).body.changes;
  expect(fields.map(({ name }: { name: string }) => name)).toEqual(["timelog"]);
  expect(entriesOf(fields[0].before)).toEqual(entriesOf(withNote(null).timelog));
  expect(entriesOf(fields[0].after)).toEqual(entriesOf(withNote({ note: "late" }).timelog));
});

test("D25: an event's params keep fields of any name", async () => {
  const user = { id: 9, role: "client", company_id: 1 } as const;
  await store([callerLine(user)]);
  const params = { ...odd, type: "message" };
  const detail = { event_id: "odd", recipients: [user.id], record_type: "Chat", record_id: 1, params };
  const event = { version: "0", id: "e", "detail-type": "Notification", source: "rota.example", detail };
  expect(await take(queueEvent(event))).toEqual(nothingFailed);
  await drain("NOTIFICATION_QUEUE_URL", deliver);
  const { notifications } = (await call(notificationsHandler, listNotifications, { as: user })).body;
  expect(entriesOf(notifications[0].params)).toEqual(entriesOf({ ...params, text: "You have a new message" }));
});
