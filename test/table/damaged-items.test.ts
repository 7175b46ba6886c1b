import { beforeEach, expect, test } from "vitest";
import { handler as show } from "../../functions/finance/get-timesheet.ts";
import { handler as list } from "../../functions/finance/list-invoices.ts";
import { getTimesheet, listInvoices } from "../../shared/contract/finance.ts";
import { notificationKey } from "../../shared/notifications/notifications.ts";
import type { Key } from "../../shared/table/table.ts";
import { recordKey } from "../../shared/table/table.ts";
import { updateRaw } from "../support/records/items.ts";
import { callerLine, invoiceLine, notificationLine, timesheetLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { call } from "../support/requests/call.ts";
import { mark, markUpTo } from "../support/requests/changes.ts";
import { loggedLines } from "../support/service/capture-logs.ts";
import { useService } from "../support/service/service.ts";

const as = { id: 1, role: "admin", company_id: null } as const;
const timesheet = recordKey("TIMESHEET", 1);
const invoice = recordKey("INVOICE", 1);
const notification = notificationKey(1, 1);

useService();

beforeEach(() =>
  store([
    callerLine(as, { passcode: null }),
    ...[1, 2].flatMap((id) => [timesheetLine(id, 1), invoiceLine(id, 1), notificationLine(id, as.id)]),
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
    "answer: id 1",
    () => call(show, getTimesheet, { as, parameters: { id: "1" } }),
  ],
  ["bulk-update-timesheets", timesheet, "#record", "TIMESHEET#1 TIMESHEET", () => mark(as, [2, 1], "paid")],
  ["list-invoices", invoice, "#record.currency", "answer: id 1", () => call(list, listInvoices, { as })],
  [
    "list-invoices, by number",
    invoice,
    "#record",
    "INVOICE#1 INVOICE",
    () => call(list, listInvoices, { as, query: { by_number: "INV" } }),
  ],
  ["mark-notifications", notification, "#record.record_id", "answer: id 1", () => markUpTo(as, 1)],
])("a damaged item takes its answer down, whose log names it: %s", async (_, key, attribute, name, request) => {
  await damage(key, attribute);
  loggedLines.length = 0;
  expect(await request()).toMatchObject({ status: 500, body: { code: "internal_error" } });
  const faults = loggedLines.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
  expect(faults).toMatchObject([{ error_message: expect.stringContaining(name) }]);
});
