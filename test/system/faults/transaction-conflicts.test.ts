import { beforeEach, expect, test } from "vitest";
import { handler as updateHandler } from "../../../functions/finance/bulk-update-timesheets.ts";
import { handler as adjustHandler } from "../../../functions/jobs/adjust-job-timers.ts";
import { bulkUpdateTimesheets } from "../../../shared/contract/finance.ts";
import { adjustJobTimers } from "../../../shared/contract/jobs.ts";
import { transactionConflict, useNetwork } from "../../support/faults/network.ts";
import { callerLine, jobLine, timesheetLine } from "../../support/records/records.ts";
import { readRecord, store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;

useService();
const proxy = useNetwork();

beforeEach(async () => {
  await store([callerLine(admin), timesheetLine(1, 1), timesheetLine(2, 1), jobLine(1, 1)]);
  proxy.reset();
});

function update() {
  const body = { timesheet: { timesheet_ids: [1, 2], state: "paid" } };
  return call(updateHandler, bulkUpdateTimesheets, { as: admin, body });
}

test("D18: a conflicting transaction is tried again until it goes through", async () => {
  proxy.fail("TransactWriteItems", transactionConflict(2), 3);
  expect((await update()).status).toBe(200);
  expect(proxy.calls.get("TransactWriteItems")).toBe(4);
  expect(await readRecord("TIMESHEET", 2)).toMatchObject({ state: "paid" });
});

test("D18: after 3 seconds of conflicts, no earlier, the answer is 503 busy with Retry-After, and nothing has changed", async () => {
  proxy.fail("TransactWriteItems", transactionConflict(2), Number.POSITIVE_INFINITY);
  const startedAt = performance.now();
  const answer = await update();
  const waited = performance.now() - startedAt;
  // A pause that would end later than the patience is not begun, and takes 0.2 seconds at most.
  expect(waited).toBeGreaterThan(2_750);
  expect(waited).toBeLessThan(4_500);
  expect(answer.status).toBe(503);
  expect(answer.body).toMatchObject({ code: "busy", status: 503, request_id: expect.any(String) });
  expect(answer.headers["retry-after"]).toBe("1");
  expect(proxy.calls.get("TransactWriteItems")).toBeGreaterThan(3);
  expect(await readRecord("TIMESHEET", 1)).toMatchObject({ state: "pending" });
});

test("D24: timers follow the same rule", async () => {
  proxy.fail("TransactWriteItems", transactionConflict(1), 2);
  const answer = await call(adjustHandler, adjustJobTimers, { as: admin, body: { job: { job_ids: [1], timer: 60 } } });
  expect(answer.status).toBe(200);
});

test("D31: a fault of the table is a 500 that says only its code and request id", async () => {
  const body = { __type: "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", message: "secret table name" };
  proxy.fail("BatchGetItem", { status: 400, body }, 1);
  const answer = await update();
  expect(answer.status).toBe(500);
  expect(Object.keys(answer.body).sort()).toEqual(["code", "instance", "request_id", "status", "title", "type"]);
  expect(answer.body.code).toBe("internal_error");
  expect(JSON.stringify(answer.body)).not.toContain("secret");
});
