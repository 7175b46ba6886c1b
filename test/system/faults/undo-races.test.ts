import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { handler as deliver } from "../../../functions/workers/deliver-notifications.ts";
import { findUnreadCounts } from "../../../shared/db/notifications/notification-counts.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import { readEvent } from "../../../shared/domain/records/notification-events.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { logChange } from "../../support/records/change-log.ts";
import { callerLine, jobLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { readItem, write } from "../../support/records/writes.ts";
import { adjust, mark, undo } from "../../support/requests/changes.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { useService } from "../../support/service/service.ts";
import { queueEvent, storedNotifications } from "../../support/workers/workers.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const operator = { id: 2, role: "operator", company_id: 1 } as const;
const rounds = usualFreshOrFull(4, 8, 8);

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
  const event = readEvent(made);
  const message = { ...event, eventId: made.eventId, recipients: event?.recipients[0] };
  return { changeId: changeId ?? "", arrive: () => deliver(queueEvent(message)) };
}

const pay = () => change(() => mark(operator, [id], "paid"));
const undoing = (changeId: string) => change(() => undo(admin, changeId));
const heard = async () =>
  (await storedNotifications(driver)).map(({ record }) => (record as { params: { type: string } }).params.type);
const unread = async () => (await findUnreadCounts(driver)).timesheets;

test("D41: of an undo, a second one and a payment of the same timesheets at once, each is whole, and one undo wins", async () => {
  for (let round = 0; round < rounds; round += 1) {
    await hire();
    await write(timesheetLine(id + 1, 1));
    const paid = await mark(operator, [id, id + 1], "paid");
    const changeId = paid.headers["change-id"];
    const asked = [mark(admin, [id + 1], "pending"), undo(operator, changeId), undo(admin, changeId)];
    const [later, ...undone] = await Promise.all(asked);
    const timesheets = await Promise.all([id, id + 1].map((each) => readItem(recordKey("TIMESHEET", each))));
    const states = timesheets.map((item) => item?.record);
    const won = undone.filter(({ status }) => status === 200);
    expect(won.length).toBeLessThanOrEqual(1);
    expect(later?.status).toBe(200);
    for (const { status, body } of undone.filter((answer) => !won.includes(answer))) {
      expect([status, ["changed_since", "change_undone"].includes(body.code)]).toEqual([409, true]);
    }
    expect(states).toMatchObject([{ state: won.length === 1 ? "pending" : "paid" }, { state: "pending" }]);
  }
});

test.each([
  ["payment", () => mark(admin, [id], "paid"), () => mark(operator, [id], "paid")],
  ["timer", () => adjust(admin, [id], 60), () => adjust(admin, [id], 90)],
])("D32, D41: a %s that was decided before another was made and undone forgets neither", async (_, send, sendFirst) => {
  await hire();
  await write(jobLine(id, 1));
  const goOn = network.hold("TransactWriteItems");
  const late = send();
  await network.held("TransactWriteItems");
  const first = (await sendFirst()).headers["change-id"];
  expect((await undo(admin, first)).status).toBe(200);
  goOn();
  expect(await late).toMatchObject({ status: 200, headers: { "change-id": expect.any(String) } });
  expect(await undo(admin, first)).toMatchObject({ status: 409, body: { code: "change_undone" } });
});

test("D41: of an undo, a payment and an import of the same timesheets at once, each is whole, in some order", async () => {
  for (let round = 0; round < rounds; round += 1) {
    await hire();
    const ids = [id, id + 1];
    await write(timesheetLine(id + 1, 1));
    const { headers } = await mark(operator, ids, "paid");
    const [undone, paid, imported] = await Promise.all([
      undo(operator, headers["change-id"]),
      mark(admin, ids, "paid"),
      write(timesheetLine(id + 1, 1, { state: "paid", job_title: "Day driver" })),
    ]);
    expect([paid.status, imported]).toEqual([200, "updated"]);
    const stored = await Promise.all(ids.map((each) => readItem(recordKey("TIMESHEET", each))));
    const [first, second] = stored.map((item) => (item?.record as { state: string }).state);
    expect(stored[1]?.record).toMatchObject({ job_title: "Day driver" });
    if (undone.status === 200) expect(first).toBe(paid.headers["change-id"] ? "paid" : "pending");
    else expect([undone.body.code, first, second]).toEqual(["changed_since", "paid", "paid"]);
  }
});

test("D25, D41: news that arrives while the change is undone: the driver never hears of it after the undo", async () => {
  for (let round = 0; round < rounds; round += 1) {
    await hire();
    const paid = await pay();
    const [undone] = await Promise.all([undoing(paid.changeId), paid.arrive()]);
    await Promise.all([undone.arrive(), paid.arrive(), undone.arrive()]);
    const all = await heard();
    expect([["pending"], ["paid", "pending"]]).toContainEqual(all);
    expect(await unread()).toBe(all.length);
  }
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
