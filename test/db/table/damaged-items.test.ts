import { beforeEach, expect, test } from "vitest";
import { handler as bulkUpdate } from "../../../functions/finance/bulk-update-timesheets.ts";
import { handler as showTimesheet } from "../../../functions/finance/get-timesheet.ts";
import { handler as adjust } from "../../../functions/jobs/adjust-job-timers.ts";
import { handler as listNotifications } from "../../../functions/notifications/list-notifications.ts";
import { handler as markNotifications } from "../../../functions/notifications/mark-notifications.ts";
import { bulkUpdateTimesheets, getTimesheet } from "../../../shared/contract/finance.ts";
import { adjustJobTimers } from "../../../shared/contract/jobs.ts";
import * as contract from "../../../shared/contract/notifications.ts";
import { notificationKey } from "../../../shared/db/notifications/notifications.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import type { Key } from "../../../shared/db/table/table.ts";
import { updateRaw } from "../../support/records/items.ts";
import { callerLine, jobLine, notificationLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";

const as = { id: 1, role: "admin", company_id: null } as const;
const timesheet = recordKey("TIMESHEET", 1);
const job = recordKey("JOB", 1);
const notification = notificationKey(1, 1);
const timesheets = { timesheet: { timesheet_ids: [2, 1], state: "paid" } };

useService();

beforeEach(() =>
  store([
    callerLine(as),
    ...[1, 2].flatMap((id) => [timesheetLine(id, 1), jobLine(id, 1), notificationLine(id, as.id)]),
  ]),
);

function damage({ pk, sk }: Key, attribute: string) {
  return updateRaw({
    Key: { pk, sk },
    UpdateExpression: `REMOVE ${attribute}`,
    ExpressionAttributeNames: { "#record": "record" },
  });
}

test.each([
  [
    "get-timesheet",
    timesheet,
    "#record.job_title",
    () => call(showTimesheet, getTimesheet, { as, parameters: { id: "1" } }),
  ],
  [
    "get-timesheet, without a record",
    timesheet,
    "#record",
    () => call(showTimesheet, getTimesheet, { as, parameters: { id: "1" } }),
  ],
  [
    "bulk-update-timesheets",
    timesheet,
    "#record.job_title",
    () => call(bulkUpdate, bulkUpdateTimesheets, { as, body: timesheets }),
  ],
  [
    "bulk-update-timesheets, without a record",
    timesheet,
    "#record",
    () => call(bulkUpdate, bulkUpdateTimesheets, { as, body: timesheets }),
  ],
  [
    "adjust-job-timers",
    job,
    "#record.title",
    () => call(adjust, adjustJobTimers, { as, body: { job: { job_ids: [2, 1], timer: 60 } } }),
  ],
  [
    "list-notifications",
    notification,
    "#record.record_type",
    () => call(listNotifications, contract.listNotifications, { as }),
  ],
  [
    "mark-notifications",
    notification,
    "#record.record_id",
    () =>
      call(markNotifications, contract.markNotifications, {
        as,
        body: { notification: { notification_ids: [2, 1], read: true } },
      }),
  ],
  [
    "mark-notifications, all",
    notification,
    "#record.record_id",
    () => call(markNotifications, contract.markNotifications, { as, body: { notification: { read: true } } }),
  ],
])("a damaged item takes its answer down, whose log names it: %s", async (_, key, attribute, request) => {
  await damage(key, attribute);
  loggedLines.length = 0;
  expect(await request()).toMatchObject({ status: 500, body: { code: "internal_error" } });
  const faults = loggedLines.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
  expect(faults).toMatchObject([{ error_message: expect.stringContaining(`${key.pk} ${key.sk}`) }]);
});
