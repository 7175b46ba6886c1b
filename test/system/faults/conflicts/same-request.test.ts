import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { changeKey } from "../../../../shared/records/changes.ts";
import { recordKey } from "../../../../shared/table/table.ts";
import { beforeCalls } from "../../../support/faults/before-calls.ts";
import { useHeldItems } from "../../../support/faults/held-items.ts";
import { useModelClock } from "../../../support/faults/model-clock.ts";
import { callerLine, notificationLine, timesheetLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { readItem } from "../../../support/records/writes.ts";
import type { TestAnswer } from "../../../support/requests/call.ts";
import { isReplay, mark, markRead, markUpTo, undo } from "../../../support/requests/changes.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { useService } from "../../../support/service/service.ts";

const operator = { id: 2, role: "operator", company_id: 1 } as const;
const driver = { id: 5, role: "driver", company_id: null } as const;
const ids = [1, 2, 3];
const undos = usualOrFull(20, 50);

useService();
const held = useHeldItems();
const clock = useModelClock();
afterEach(() => held.end());

beforeAll(async () => {
  await store([callerLine(operator), timesheetLine(9, 1)]);
  // It reads the key of idempotency keys, in a call that the model's clock does not know of.
  await mark(operator, [9], "pending", { key: crypto.randomUUID() });
});

beforeEach(() =>
  store([
    callerLine(operator, { passcode: null }),
    callerLine(driver),
    ...ids.map((id) => timesheetLine(id, 1)),
    ...ids.map((id) => notificationLine(id, driver.id)),
  ]),
);

/** Sends a request many times at once, while transactions hold their items. */
async function atOnce(times: number, send: () => Promise<TestAnswer>): Promise<TestAnswer[]> {
  held.begin();
  const answers = await clock.run(() => Promise.all(Array.from({ length: times }, send)));
  held.end();
  return answers;
}

async function revisions(): Promise<number[]> {
  return Promise.all(ids.map(async (id) => Number((await readItem(recordKey("TIMESHEET", id)))?.revision)));
}

/** Pays, and gives what undoes that. */
async function payment() {
  const { headers } = await mark(operator, ids, "paid");
  return (key: string) => undo(operator, headers["change-id"], { key });
}

test.each([
  [20, "payments", async () => (key: string) => mark(operator, ids, "paid", { key })],
  [undos, "undos", payment],
])("D18, D32, D41: of %i equal %s at once one is carried out, none is busy, and each gets its change", async (times, _, prepare) => {
  const [key, send] = [crypto.randomUUID(), await prepare()];
  const before = await revisions();
  const answers = await atOnce(times, () => send(key));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1);
  expect(new Set(answers.map(({ headers }) => headers["change-id"])).size).toBe(1);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(await revisions()).toEqual(before.map((revision) => revision + 1));
});

test(`D41: of ${undos} undos at once one is made, none is busy`, async () => {
  const { headers } = await mark(operator, ids, "paid");
  const before = await revisions();
  const answers = await atOnce(undos, () => undo(operator, headers["change-id"]));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.code === "change_undone")).toHaveLength(undos - 1);
  expect(await revisions()).toEqual(before.map((revision) => revision + 1));
  const made = answers.find(({ status }) => status === 200);
  const change = { id: made?.body.change.id, undoes: headers["change-id"] };
  expect(await readItem(recordKey("TIMESHEET", 1))).toMatchObject({ change, record: { state: "pending" } });
});

test("D32, D41: an undo that finds its change undone by an equal one is its repetition", async () => {
  const [key, { headers }] = [crypto.randomUUID(), await mark(operator, ids, "paid")];
  const id = headers["change-id"] ?? "";
  let equal: TestAnswer | undefined;
  let isFirst = true;
  const undoEqually = async (_: string, { Key }: { readonly Key?: { readonly pk?: string } }) => {
    if (Key?.pk !== changeKey(id).pk || !isFirst) return;
    isFirst = false;
    equal = await undo(operator, id, { key });
  };
  const answer = await beforeCalls(undoEqually, () => undo(operator, id, { key }));
  expect([equal?.status, answer.status, isReplay(answer)]).toEqual([200, 200, true]);
  expect(answer.headers["change-id"]).toBe(equal?.headers["change-id"]);
});

test.each([
  ["named notifications are", () => markRead(driver, ids, true)],
  ["those up to an id are", () => markUpTo(driver, 3)],
])("D27: %s marked and counted once by 8 equal calls at once", async (_, send) => {
  const answers = await atOnce(8, send);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(await readItem({ pk: `USER#${driver.id}`, sk: "COUNTS" })).toMatchObject({ total: 3, notifications: 0 });
});
