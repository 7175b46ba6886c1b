import { beforeAll, expect, test } from "vitest";
import { handler as confirmHandler } from "../../../functions/accounts/confirm-login.ts";
import { handler as updateHandler } from "../../../functions/finance/bulk-update-timesheets.ts";
import { confirmLogin } from "../../../shared/contract/accounts.ts";
import { bulkUpdateTimesheets } from "../../../shared/contract/finance.ts";
import { callerLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { readRecord, store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { askForPin, otherPin, storedPin } from "../../support/requests/pins.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";

const operator = { id: 2, role: "operator", company_id: 1 } as const;
const login = "ines@example.com";

const service = useService();

beforeAll(() =>
  store([
    callerLine(operator),
    ...Array.from({ length: 30 }, (_, index) => timesheetLine(index + 1, 1)),
    timesheetLine(31, 2),
    userLine(10, { email: login }),
  ]),
);

function update(ids: readonly number[], state: string) {
  const body = { timesheet: { timesheet_ids: ids, state } };
  return call(updateHandler, bulkUpdateTimesheets, { as: operator, body });
}

function confirm(pin: string, from?: string) {
  return call(confirmHandler, confirmLogin, { query: { login, pin }, ...(from && { from }) });
}

function freshPin(): Promise<string> {
  return askForPin(service, login);
}

test("D18: 50 parallel bulk updates over overlapping ids are each all-or-nothing", async () => {
  const updates = Array.from({ length: 50 }, (_, index) => {
    const ids = Array.from({ length: 10 }, (_, offset) => ((index * 3 + offset) % 30) + 1);
    // Every fifth one names a foreign timesheet and must leave its ten own ones alone.
    return index % 5 === 0 ? { ids: [...ids, 31], state: "paid" } : { ids, state: index % 2 ? "paid" : "pending" };
  });
  const answers = await Promise.all(updates.map(({ ids, state }) => update(ids, state)));
  for (const [index, answer] of answers.entries()) {
    const { ids, state } = updates[index] ?? { ids: [], state: "" };
    if (index % 5 === 0) {
      expect(answer).toMatchObject({ status: 404, body: { missing_ids: [31] } });
      continue;
    }
    expect([200, 503]).toContain(answer.status);
    if (answer.status === 503) continue;
    expect(answer.body.timesheets.map((timesheet: { id: number }) => timesheet.id)).toEqual(ids);
    expect(answer.body.timesheets.every((timesheet: { state: string }) => timesheet.state === state)).toBe(true);
  }
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  for (let id = 1; id <= 30; id += 1) {
    const record = await readRecord("TIMESHEET", id);
    expect(record?.state).toBe(record?.payment_state);
  }
  expect(await readRecord("TIMESHEET", 31)).toMatchObject({ state: "pending" });
});

test("D18: of parallel updates to one set of ids the last state is whole: no set is ever half paid", async () => {
  const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  await Promise.all(Array.from({ length: 20 }, (_, index) => update(ids, index % 2 ? "paid" : "pending")));
  const states = await Promise.all(ids.map(async (id) => (await readRecord("TIMESHEET", id))?.state));
  expect(new Set(states).size).toBe(1);
});

const guesses = usualOrFull(30, 80);

test(`D10: of ${guesses} parallel wrong pins of a client 20 count, and the right one is then refused`, async () => {
  const pin = await freshPin();
  const wrong = Array.from({ length: guesses }, (_, index) => otherPin(pin, 1 + index));
  const from = "198.51.100.7";
  const answers = await Promise.all(wrong.map((each) => confirm(each, from)));
  expect(answers.every(({ status, body }) => status === 422 && body.code === "pin_invalid")).toBe(true);
  expect(await storedPin(login)).toMatchObject({ tries: 20 });
  expect((await confirm(pin, from)).status).toBe(422);
});

test("D13: of 50 parallel right pins exactly one succeeds", async () => {
  const pin = await freshPin();
  const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(pin)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(49);
  expect((await confirm(pin)).status).toBe(422);
});
