import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { handler as deliver } from "../../../functions/workers/deliver-notifications.ts";
import { notificationEventOf } from "../../../functions/workers/notification-events.ts";
import { findUnreadCounts } from "../../../shared/notifications/notifications.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { logChange } from "../../support/records/change-log.ts";
import { callerLine, jobLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { readItem, write } from "../../support/records/writes.ts";
import { adjust, mark, undo } from "../../support/requests/changes.ts";
import { useService } from "../../support/service/service.ts";
import { queueEvent, storedNotifications } from "../../support/workers/workers.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const operator = { id: 2, role: "operator", company_id: 1 } as const;

useService();
const network = useNetwork();

let id = 0;
let driver = 0;

beforeEach(async () => {
  const lines = [callerLine(admin), callerLine(operator)];
  await Promise.all(lines.map((line) => write(line)));
});

/** Another driver with a timesheet. */
async function hire(): Promise<void> {
  id += 10;
  driver = 10_000 + id;
  const line = timesheetLine(id, 1);
  await write(userLine(driver, { role: "driver", profile_id: driver }));
  await write({ ...line, driver: { ...line.driver, profile_id: driver } });
}

const key = () => recordKey("TIMESHEET", id);

/** Does something to the timesheet; gives the change's id and the message that notifies of it. */
async function change(work: () => Promise<{ headers: Record<string, string> }>) {
  let changeId: string | undefined;
  const [made] = await logChange(key(), async () => {
    changeId = (await work()).headers["change-id"];
  });
  if (!made) throw new Error("Nothing was changed");
  const event = notificationEventOf(made);
  const message = { ...event, eventId: made.eventId, recipients: event?.recipients[0] };
  return { changeId: changeId ?? "", arrive: () => deliver(queueEvent(message)) };
}

const pay = () => change(() => mark(operator, [id], "paid"));
const undoing = (changeId: string) => change(() => undo(admin, changeId));
const heard = async () =>
  (await storedNotifications(driver)).map(({ record }) => (record as { params: { type: string } }).params.type);
const unread = async () => (await findUnreadCounts(driver)).timesheets;

/** Begins work whose first transaction waits for something else to be done; gives its outcome. */
async function before<T>(work: () => Promise<T>, meanwhile: () => Promise<unknown>): Promise<T> {
  const goOn = network.hold("TransactWriteItems");
  const late = work();
  await network.held("TransactWriteItems");
  await meanwhile();
  goOn();
  return late;
}

test.each([
  ["payment", () => mark(admin, [id], "paid"), () => mark(operator, [id], "paid")],
  ["timer", () => adjust(admin, [id], 60), () => adjust(admin, [id], 90)],
])("D32, D41: a %s that was decided before another was made and undone forgets neither", async (_, send, sendFirst) => {
  await hire();
  await write(jobLine(id, 1));
  let first: string | undefined;
  const late = await before(send, async () => {
    first = (await sendFirst()).headers["change-id"];
    expect((await undo(admin, first)).status).toBe(200);
  });
  expect(late).toMatchObject({ status: 200, headers: { "change-id": expect.any(String) } });
  expect(await undo(admin, first)).toMatchObject({ status: 409, body: { code: "change_undone" } });
});

test.each([
  ["the change was undone", (changeId?: string) => undo(admin, changeId), "change_undone", "pending"],
  ["one of its records was written", () => mark(admin, [id + 1], "pending"), "changed_since", "paid"],
  [
    "one was imported again",
    () => write(timesheetLine(id + 1, 1, { state: "paid", job_title: "Day driver" })),
    "changed_since",
    "paid",
  ],
])("D41: an undo that was decided before %s undoes nothing", async (_, meanwhile, code, state) => {
  await hire();
  await write(timesheetLine(id + 1, 1));
  const { headers } = await mark(operator, [id, id + 1], "paid");
  const late = await before(
    () => undo(operator, headers["change-id"]),
    () => meanwhile(headers["change-id"]),
  );
  expect(late).toMatchObject({ status: 409, body: { code } });
  expect((await readItem(key()))?.record).toMatchObject({ state });
});

test("D25, D41: of news that is being delivered while the change is undone, the driver never hears after the undo", async () => {
  await hire();
  const paid = await pay();
  let undone = paid;
  await before(paid.arrive, async () => {
    undone = await undoing(paid.changeId);
  });
  await Promise.all([undone.arrive(), paid.arrive(), undone.arrive()]);
  expect([await heard(), await unread()]).toEqual([["pending"], 1]);
});

test("D26, D41: of one driver's timesheets, undone at once, the news of each is delivered in its turn: they share the counts", async () => {
  await hire();
  const one = await pay();
  await one.arrive();
  const line = timesheetLine(id + 1, 1);
  id += 1;
  await write({ ...line, driver: { ...line.driver, profile_id: driver } });
  const other = await pay();
  await other.arrive();
  const otherUndone = await undoing(other.changeId);
  id -= 1;
  const undone = await undoing(one.changeId);
  network.reset();
  const goOn = network.hold("TransactWriteItems");
  const arriving = Promise.all([undone.arrive(), otherUndone.arrive()]);
  await network.held("TransactWriteItems");
  await pause(50);
  expect(network.calls.get("TransactWriteItems")).toBe(1);
  goOn();
  await arriving;
  expect([await heard(), await unread()]).toEqual([["paid", "paid", "pending", "pending"], 4]);
});
