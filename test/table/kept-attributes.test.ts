import { expect, test } from "vitest";
import { restoreRecords } from "../../functions/changes/undo-change.ts";
import { markByIds } from "../../functions/notifications/mark-notifications.ts";
import { markOverdue } from "../../functions/workers/mark-overdue.ts";
import { notificationKey } from "../../shared/notifications/notifications.ts";
import { findStoredUser, giveResetToken, replacePassword } from "../../shared/people/users.ts";
import { setJobTimers } from "../../shared/records/jobs.ts";
import { setTimesheetStates } from "../../shared/records/timesheets.ts";
import type { Item, Key } from "../../shared/table/table.ts";
import { recordKey } from "../../shared/table/table.ts";
import { putIf, transact } from "../../shared/table/writes.ts";
import { callerContext, driverContext, testContext } from "../support/records/contexts.ts";
import * as lines from "../support/records/records.ts";
import { readItem, write } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";

const admin = { userId: 900, role: "admin", companyId: null, sessionId: "s" } as const;
const ofNewer = { schema_version: 7, beside: { kept: [1] } };
const pay = (id: number) => setTimesheetStates([id], "all", "paid", callerContext(admin));
const setTimer = (id: number) =>
  setJobTimers([id], "all", { timer: 60, timer_expires_at: new Date().toISOString() }, callerContext(admin));
const undo = ({ changeId = "" }: { readonly changeId: string | undefined }) =>
  restoreRecords(changeId, callerContext(admin));

useService();

async function storedUser(id: number) {
  const stored = await findStoredUser(id);
  if (!stored) throw new Error("The user is not stored");
  return stored;
}

/** Lines that make records, and what further lines change in them. */
const byLine: readonly (readonly [line: { readonly type: string }, change: object, key: Key])[] = [
  [lines.companyLine(1), { name: "Quay" }, recordKey("COMPANY", 1)],
  [lines.userLine(1), { job_position: "Planner" }, recordKey("USER", 1)],
  [lines.timesheetLine(1, 1), { total: "1.00" }, recordKey("TIMESHEET", 1)],
  [lines.invoiceLine(1, 1), { total: "1.00" }, recordKey("INVOICE", 1)],
  [lines.jobLine(1, 1), { title: "Crane driver" }, recordKey("JOB", 1)],
  [lines.notificationLine(1, 1), { record_id: 99 }, notificationKey(1, 1)],
];

/** Every way in which a record is written again: the line that makes it, its key, and the write. */
const ways: readonly (readonly [name: string, line: object, key: Key, write: () => Promise<unknown>])[] = [
  ...byLine.map(
    ([line, change, key]) => [`a ${line.type} by a line`, line, key, () => write({ ...line, ...change })] as const,
  ),
  [
    "a notification that is marked",
    lines.notificationLine(2, 1),
    notificationKey(1, 2),
    () => markByIds([2], true, driverContext(1)),
  ],
  ["a payment", lines.timesheetLine(2, 1), recordKey("TIMESHEET", 2), () => pay(2)],
  ["the undo of a payment", lines.timesheetLine(3, 1), recordKey("TIMESHEET", 3), async () => undo(await pay(3))],
  ["a timer", lines.jobLine(2, 1), recordKey("JOB", 2), () => setTimer(2)],
  ["the undo of a timer", lines.jobLine(3, 1), recordKey("JOB", 3), async () => undo(await setTimer(3))],
  [
    "an overdue invoice",
    lines.invoiceLine(2, 1, { due_date: "2126-05-02" }),
    recordKey("INVOICE", 2),
    () => markOverdue("2126-05-03", testContext()),
  ],
  [
    "a reset token",
    lines.userLine(2),
    recordKey("USER", 2),
    async () => transact([giveResetToken(await storedUser(2), "reset", testContext())]),
  ],
  [
    "a new password",
    lines.userLine(3),
    recordKey("USER", 3),
    async () =>
      transact(
        replacePassword(
          await storedUser(3),
          { passwordHash: "hash", endedKeys: 0, names: { first_name: "Ada" } },
          testContext(),
        ),
      ),
  ],
];

test.each(
  ways,
)("D38: %s keeps what a newer release has stored in the item and in its record", async (_, line, key, change) => {
  await write(line);
  const { record, name: _name, ...item } = (await readItem(key)) ?? {};
  const whole =
    record === undefined
      ? { extra: { of: "record" }, name: _name }
      : { record: { ...(record as Item), extra: { of: "record" } } };
  await putIf({ Item: { ...item, ...whole, ...ofNewer } });
  await change();
  const written = (await readItem(key)) ?? {};
  expect(written).toMatchObject(ofNewer);
  expect(written.record ?? written).toMatchObject({ extra: { of: "record" } });
  expect(written.revision).toBeGreaterThan(Number(item.revision));
});

test("D38: so do a payment and a line with an embedded object, in the object; a line equal in value changes nothing", async () => {
  const line = lines.timesheetLine(9, 1);
  const key = recordKey("TIMESHEET", 9);
  await write(line);
  const { record, ...item } = (await readItem(key)) ?? {};
  const stored = record as Pick<typeof line, "driver" | "timelog">;
  const embedded = {
    driver: { ...stored.driver, order: "PO-D" },
    timelog: { ...stored.timelog, order: "PO-T", duration: { hours: 1, further: 1 } },
  };
  await putIf({ Item: { ...item, ...ofNewer, record: { ...stored, ...embedded } } });
  await pay(9);
  expect((await readItem(key))?.record).toMatchObject({ state: "paid", ...embedded });
  const changed = { ...line, state: "paid", driver: { ...line.driver, last_name: "Renamed" } };
  expect([await write(changed), await write(changed)]).toEqual(["updated", "unchanged"]);
  expect((await readItem(key))?.record).toMatchObject({
    driver: { last_name: "Renamed", order: "PO-D" },
    timelog: { ...line.timelog, order: "PO-T" },
  });
  // Open objects are replaced whole.
  expect((await readItem(key))?.record).not.toHaveProperty("timelog.duration.further");
});
