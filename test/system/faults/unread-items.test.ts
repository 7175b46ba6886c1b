import { beforeEach, expect, test } from "vitest";
import { handler } from "../../../functions/finance/bulk-update-timesheets.ts";
import { bulkUpdateTimesheets } from "../../../shared/contract/finance.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { callerLine, timesheetLine } from "../../support/records/records.ts";
import { readRecord, store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;

const service = useService();
const proxy = useNetwork();

beforeEach(async () => {
  proxy.reset();
  await store([callerLine(admin), timesheetLine(1, 1)]);
  proxy.reset();
});

/** What DynamoDB answers when it is too busy to read anything of a batch. */
function leavesUnread() {
  const Keys = [{ pk: { S: "TIMESHEET#1" }, sk: { S: "TIMESHEET" } }];
  return {
    status: 200,
    body: { Responses: {}, UnprocessedKeys: { [service.tableName]: { Keys, ConsistentRead: true } } },
  };
}

function update() {
  const body = { timesheet: { timesheet_ids: [1], state: "paid" } };
  return call(handler, bulkUpdateTimesheets, { as: admin, body });
}

test("D18: what a busy table leaves unread is asked for again", async () => {
  proxy.fail("BatchGetItem", leavesUnread(), 2);
  expect((await update()).status).toBe(200);
  expect(proxy.calls.get("BatchGetItem")).toBe(3);
  expect(await readRecord("TIMESHEET", 1)).toMatchObject({ state: "paid" });
});

test("D18: a table that stays busy is 503 with Retry-After after a second of bounded tries, and nothing has changed", async () => {
  proxy.fail("BatchGetItem", leavesUnread(), Number.POSITIVE_INFINITY);
  const answer = await update();
  expect(answer).toMatchObject({ status: 503, body: { code: "busy" }, headers: { "retry-after": "1" } });
  expect(proxy.calls.get("BatchGetItem")).toBeLessThan(100);
  proxy.reset();
  expect(await readRecord("TIMESHEET", 1)).toMatchObject({ state: "pending" });
});
