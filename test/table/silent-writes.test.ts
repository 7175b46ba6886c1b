import { expect, test } from "vitest";
import { notificationKey } from "../../shared/notifications/notifications.ts";
import { setJobTimers } from "../../shared/records/jobs.ts";
import { setTimesheetStates } from "../../shared/records/timesheets.ts";
import type { Key } from "../../shared/table/table.ts";
import { recordKey } from "../../shared/table/table.ts";
import { callerContext } from "../support/records/contexts.ts";
import * as lines from "../support/records/records.ts";
import { readItem, write, writtenAt } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";

const admin = { userId: 1, role: "admin", companyId: null, sessionId: "s" } as const;
const aloud = { notifies: true };

useService();

test.each<[string, object, object, Key]>([
  ["company", lines.companyLine(1), { name: "Northgate" }, recordKey("COMPANY", 1)],
  ["user", lines.userLine(1), { job_position: "Planner" }, recordKey("USER", 1)],
  ["timesheet", lines.timesheetLine(1, 1), { total: "1.00" }, recordKey("TIMESHEET", 1)],
  ["invoice", lines.invoiceLine(1, 1), { total: "1.00" }, recordKey("INVOICE", 1)],
  ["job", lines.jobLine(1, 1), { title: "Van driver" }, recordKey("JOB", 1)],
  ["notification", lines.notificationLine(1, 9), { record_id: 13 }, notificationKey(9, 1)],
])("D35: a %s says whether it was last written silently, and no write is made only to say so", async (_, line, change, key) => {
  expect(await write(line)).toBe("created");
  expect(await readItem(key)).toMatchObject({ silent: true });
  expect(await write(line, aloud)).toBe("unchanged");
  expect(await readItem(key)).toMatchObject({ silent: true });
  expect(await write({ ...line, ...change }, aloud)).toBe("updated");
  expect(await readItem(key)).not.toHaveProperty("silent");
  expect(await write({ ...line, ...change })).toBe("unchanged");
  expect(await readItem(key)).not.toHaveProperty("silent");
  expect(await write(line)).toBe("updated");
  expect(await readItem(key)).toMatchObject({ silent: true });
});

test("D29: a notification that is written aloud is to be pushed, a silent one is not", async () => {
  await write(lines.notificationLine(2, 9), aloud);
  expect(await readItem(notificationKey(9, 2))).toMatchObject({ push: true });
  await write(lines.notificationLine(3, 9));
  expect(await readItem(notificationKey(9, 3))).not.toHaveProperty("push");
  await write(lines.notificationLine(2, 9, { record_id: 14 }));
  expect(await readItem(notificationKey(9, 2))).not.toHaveProperty("push");
});

test("D25: what the interface changes after a silent import is notified", async () => {
  await write(lines.timesheetLine(10, 1));
  await setTimesheetStates([10], "all", "paid", callerContext(admin));
  expect(await readItem(recordKey("TIMESHEET", 10))).not.toHaveProperty("silent");
  await write(lines.jobLine(10, 1));
  await setJobTimers([10], "all", { timer: 60, timer_expires_at: writtenAt.toISOString() }, callerContext(admin));
  expect(await readItem(recordKey("JOB", 10))).not.toHaveProperty("silent");
});

test("D25: an import that changes what a caller had changed does not do it in their name", async () => {
  await write(lines.timesheetLine(11, 1));
  await setTimesheetStates([11], "all", "paid", callerContext(admin));
  expect(await write({ type: "timesheet", id: 11, state: "paid" }, aloud)).toBe("unchanged");
  expect(await readItem(recordKey("TIMESHEET", 11))).toMatchObject({ changed_by: 1 });
  await write({ type: "timesheet", id: 11, total: "2.00" }, aloud);
  expect(await readItem(recordKey("TIMESHEET", 11))).not.toHaveProperty("changed_by");
});
