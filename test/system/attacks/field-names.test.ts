import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { handler as listChangesHandler } from "../../../functions/changes/list-changes.ts";
import { handler as payHandler } from "../../../functions/finance/bulk-update-timesheets.ts";
import { handler as listHandler } from "../../../functions/finance/list-timesheets.ts";
import { handler as notificationsHandler } from "../../../functions/notifications/list-notifications.ts";
import { parseBusEvent } from "../../../functions/workers/bus-event.ts";
import { handler as deliver } from "../../../functions/workers/deliver-notifications.ts";
import { handler as take } from "../../../functions/workers/intake.ts";
import { keepHistory } from "../../../functions/workers/write-history.ts";
import { readColumnMap } from "../../../infra/tools/import/column-map.ts";
import { csvReader } from "../../../infra/tools/import/csv-lines.ts";
import { listChanges } from "../../../shared/contract/changes.ts";
import { bulkUpdateTimesheets, listTimesheets } from "../../../shared/contract/finance.ts";
import { listNotifications } from "../../../shared/contract/notifications.ts";
import { forbiddenNames } from "../../../shared/contract/refusals.ts";
import { parseRecordLine } from "../../../shared/lines.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { logChange } from "../../support/records/change-log.ts";
import { callerLine, jobLine, notificationLine, timesheetLine } from "../../support/records/records.ts";
import { openTestSession } from "../../support/records/sessions.ts";
import { store } from "../../support/records/store.ts";
import { faultsOf } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";
import { drain, nothingFailed, queueEvent } from "../../support/workers/workers.ts";
import { emptyTable, exported, useFolder } from "../../tools/export/run-export.ts";
import { runImport, streamOf } from "../../tools/import/run-import.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const names = ["hasOwnProperty", "toString", "valueOf", "isPrototypeOf", "__defineGetter__"];

/** An object with fields of these names, and with such objects in it. */
const odd = oddObject(2);

function oddObject(levels: number): object {
  const inner = levels === 0 ? [null, "Set", 1] : [{ name: "Set" }, oddObject(levels - 1), [oddObject(levels - 1)]];
  return Object.fromEntries(names.map((name, at) => [name, inner[at % inner.length]]));
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
  expect(timesheets[0].timelog).toEqual(timelog);
  const { notifications } = (await call(notificationsHandler, listNotifications, { as: admin })).body;
  const params = { ...notification.params, text: "A job was published" };
  expect(notifications[0].params).toEqual(params);
}

async function importLines(...lines: (object | string)[]): Promise<void> {
  const { summary, errors } = await runImport(streamOf(...lines));
  expect([errors, summary.failed]).toEqual([[], 0]);
}

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
    const duration = Object.fromEntries([...Object.entries(oddObject(0)), ["note", note], ["hours", 8]]);
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
  expect(fields[0].before).toEqual(withNote(null).timelog);
  expect(fields[0].after).toEqual(withNote({ note: "late" }).timelog);
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
  expect(notifications[0].params).toEqual({ ...params, text: "You have a new message" });
});

describe.each(forbiddenNames)("D33: a field that is called %s is refused, and its place named", (name) => {
  const asked = { event_id: "e", recipients: [1], record_type: "Chat", record_id: 1, params: { type: "message" } };
  /** The JSON of a value with `?` replaced by the name. */
  const named = (value: object): string => JSON.stringify(value).replaceAll('"?"', `"${name}"`);
  const lines: readonly (readonly [place: string, line: object])[] = [
    ["", { ...jobLine(7, 1), "?": 1 }],
    ["params.", { ...notification, params: { type: "published", "?": { role: "admin" } } }],
    ["params.note.0.more.", { ...notification, params: { type: "published", note: [{ more: { "?": null } }] } }],
    ["timelog.duration.", { ...timesheet, timelog: { ...timelog, duration: { hours: 8, "?": 1 } } }],
  ];

  test.each(lines)("in a line, at %s", async (place, line) => {
    const { summary, errors } = await runImport(streamOf(named(line)));
    expect([summary.failed, errors]).toEqual([1, [`1 ${place}${name} not_allowed`]]);
    expect({}).not.toHaveProperty("role");
  });

  test("in a cell of a table", async () => {
    const cell = named({ hours: 8, "?": 1 }).replaceAll('"', '""');
    async function* table() {
      yield Buffer.from(`id,timelog.duration\n5,"${cell}"\n`);
    }
    for await (const line of csvReader("timesheet")(table())) {
      const faults = await faultsOf(() => parseRecordLine(line.given, "GB"));
      expect(faults).toEqual([`/timelog/duration/${name} not_allowed`]);
    }
    expect.assertions(1);
  });

  test.each([
    ["", "Record", { ...jobLine(7, 1), event_id: "e", version: 1, "?": 1 }],
    ["", "Notification", { ...asked, "?": 1 }],
    ["/params/note", "Notification", { ...asked, params: { type: "message", note: { "?": 1 } } }],
  ])("in an event, at %s of a %s", async (place, type, detail) => {
    const event: object = { version: "0", id: "e", source: "rota.example", "detail-type": type };
    const parsed: unknown = JSON.parse(named({ ...event, detail }));
    expect(await faultsOf(() => parseBusEvent(parsed, "GB"))).toEqual([`${place}/${name} not_allowed`]);
    expect(await take(queueEvent(parsed))).not.toEqual(nothingFailed);
  });

  test.each([
    { columns: { "?": "id" } },
    { columns: {}, constants: { timelog: { "?": 1 } } },
  ])("in a map: %j", (map) => {
    writeFileSync(file("map.json"), named(map));
    expect(() => readColumnMap(file("map.json"), "timesheet")).toThrow(`it cannot have the name "${name}"`);
  });
});
