import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { keyedChangeId, newChangeId } from "../../../shared/run/change.ts";
import { callerLine, jobLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { adjust, mark, undo } from "../../support/requests/changes.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const operator = { id: 2, role: "operator", company_id: 1 } as const;
const colleague = { id: 3, role: "operator", company_id: 1 } as const;
const now = "2026-05-10T09:00:00.000Z";

useService();

let first = 0;

beforeEach(async () => {
  vi.useFakeTimers({ now: new Date(now), toFake: ["Date"] });
  first += 1000;
  await store([
    ...[admin, operator, colleague].map((user) => callerLine(user, { passcode: null })),
    ...[first, first + 1, first + 2].map((id) => timesheetLine(id, 1)),
    jobLine(first, 1),
    jobLine(first + 1, 2),
  ]);
});
afterEach(() => void vi.useRealTimers());

const timesheet = (id: number) => readItem({ pk: `TIMESHEET#${id}`, sk: "TIMESHEET" });
const job = (id: number) => readItem({ pk: `JOB#${id}`, sk: "JOB" });

async function statesOf(...ids: number[]) {
  const items = await Promise.all(ids.map(timesheet));
  return items.map((item) => (item?.record as { state: string } | undefined)?.state);
}

async function pay(ids: readonly number[], as: TestUser = operator) {
  const { headers } = await mark(as, ids, "paid");
  return headers["change-id"] ?? "";
}

describe("200", () => {
  test("D41: the records that a change moved are put back, those that it left alone are not written", async () => {
    const [one, two, three] = [first, first + 1, first + 2];
    await mark(operator, [two], "paid");
    const leftAlone = await timesheet(two);
    const id = await pay([three, two, one]);
    const answer = await undo(operator, id);
    expect(answer).toMatchObject({
      status: 200,
      body: { change: { undone: id, record_type: "Timesheet", record_ids: [three, one] } },
    });
    expect(answer.headers["change-id"]).toBe(answer.body.change.id);
    expect(await statesOf(one, two, three)).toEqual(["pending", "paid", "pending"]);
    expect(await timesheet(two)).toEqual(leftAlone);
    const by = `user#${operator.id}`;
    expect(await timesheet(one)).toMatchObject({
      change: { id: answer.body.change.id, by, operation: "undo-change", undoes: id },
      changed_by: operator.id,
    });
  });

  test("D41: an undo is a change that can be undone, and so on", async () => {
    const id = await pay([first]);
    const undoing = await undo(operator, id);
    const redoing = await undo(operator, undoing.headers["change-id"]);
    expect(await statesOf(first)).toEqual(["paid"]);
    expect(await undo(operator, redoing.headers["change-id"])).toMatchObject({ status: 200 });
    expect(await statesOf(first)).toEqual(["pending"]);
  });

  test("D24, D41: timers are put back as they were, where there was none as well", async () => {
    await adjust(admin, [first], 60);
    const before = await job(first);
    const set = await adjust(admin, [first, first + 1], 600);
    expect(await undo(admin, set.headers["change-id"])).toMatchObject({
      status: 200,
      body: { change: { record_type: "Job", record_ids: [first, first + 1] } },
    });
    expect(await job(first)).toMatchObject({ timer: 60, timer_expires_at: before?.timer_expires_at });
    expect(await job(first + 1)).not.toHaveProperty("timer");
    expect(await job(first + 1)).not.toHaveProperty("timer_expires_at");
  });

  test("D24, D41: a job that has the timer already is left alone, and is not part of the change", async () => {
    await adjust(admin, [first], 60);
    const leftAlone = await job(first);
    expect((await adjust(admin, [first], 60)).headers).not.toHaveProperty("change-id");
    const { headers } = await adjust(admin, [first, first + 1], 60);
    expect((await undo(admin, headers["change-id"])).body.change.record_ids).toEqual([first + 1]);
    expect(await job(first)).toEqual(leftAlone);
  });

  test("D41: an admin undoes what an operator did, an operator not what others did", async () => {
    const id = await pay([first]);
    expect(await undo(colleague, id)).toMatchObject({ status: 404, body: { code: "record_not_found" } });
    expect(await undo(admin, id)).toMatchObject({ status: 200 });
  });

  test("D19, D41: an admin with a passcode undoes with their own, and an operator what the admin undid not", async () => {
    await store([callerLine(admin, { passcode: "4821" })]);
    const id = await pay([first]);
    // By then the key of hashes is read again.
    vi.setSystemTime(new Date(now).getTime() + 6 * 60_000);
    expect(await undo(admin, id)).toMatchObject({ status: 403, body: { code: "passcode_invalid" } });
    expect(await undo(admin, id, { passcode: 1111 })).toMatchObject({
      status: 403,
      body: { code: "passcode_invalid" },
    });
    const undone = await undo(admin, id, { passcode: 4821 });
    expect(undone).toMatchObject({ status: 200, body: { change: { undone: id } } });
    expect(await undo(operator, undone.headers["change-id"])).toMatchObject({ status: 404 });
    expect(await statesOf(first)).toEqual(["pending"]);
  });
});

describe("404", () => {
  test.each([
    ["text", "nothing"],
    ["no text", "%00"],
    ["an id that no change has", newChangeId(new Date())],
    [
      "an id that no request with a key has",
      keyedChangeId({ userId: 1, operation: "undo-change", key: "k" }, new Date()),
    ],
  ])("D41: %s", async (_, id) => {
    expect(await undo(admin, id)).toMatchObject({ status: 404, body: { code: "record_not_found" } });
  });

  test("D41: an id of the same request and another second", async () => {
    const paid = await mark(operator, [first], "paid", { key: `second-${first}` });
    const id = String(paid.headers["change-id"]);
    const other = `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;
    expect(await undo(operator, other)).toMatchObject({ status: 404 });
    expect(await undo(operator, id)).toMatchObject({ status: 200 });
  });

  test("D32, D41: the id of a request with a key that found all as asked", async () => {
    await pay([first]);
    const key = `again-${first}`;
    expect((await mark(operator, [first], "paid", { key })).headers).not.toHaveProperty("change-id");
    const id = keyedChangeId({ userId: operator.id, operation: "bulk-update-timesheets", key }, new Date());
    expect(await undo(operator, id)).toMatchObject({ status: 404 });
    expect(await statesOf(first)).toEqual(["paid"]);
  });

  const ofCompany = { id: admin.id, role: "admin", company_id: 1 } as const;
  test.each<[string, TestUser, TestUser]>([
    ["as an admin of a company and is its operator", ofCompany, { ...ofCompany, role: "operator" }],
    ["for one company and is another's operator", operator, { ...operator, company_id: 2 }],
  ])("D41: who paid %s today", async (_, then, today) => {
    await store([callerLine(then, { passcode: null })]);
    const id = await pay([first], then);
    await store([callerLine(today, { passcode: null })]);
    expect(await undo(today, id)).toMatchObject({ status: 404 });
    expect(await statesOf(first)).toEqual(["paid"]);
  });

  test("D41: a change of yesterday whose key has made another since", async () => {
    const sent = { key: `daily-${first}` };
    const { headers } = await mark(operator, [first], "paid", sent);
    vi.setSystemTime(Date.parse(now) + 24 * 60 * 60_000 + 5 * 60_000);
    const later = await mark(operator, [first + 1], "paid", sent);
    expect(later.headers).not.toHaveProperty("idempotency-replayed");
    expect(await undo(operator, headers["change-id"])).toMatchObject({ status: 404 });
    expect(await undo(operator, later.headers["change-id"])).toMatchObject({ status: 200 });
    expect(await statesOf(first, first + 1)).toEqual(["paid", "pending"]);
  });

  test("D41: who set timers as an admin and is none today", async () => {
    const { headers } = await adjust(admin, [first], 60);
    const demoted = { id: admin.id, role: "operator", company_id: 1 } as const;
    await store([callerLine(demoted, { passcode: null })]);
    expect(await undo(demoted, headers["change-id"])).toMatchObject({ status: 404 });
    expect(await job(first)).toMatchObject({ timer: 60 });
  });
});

describe("409", () => {
  test("D41: records that were written or removed since are named, and none is put back", async () => {
    const [one, two, three] = [first, first + 1, first + 2];
    const id = await pay([one, two, three]);
    await store([timesheetLine(two, 1, { state: "paid", job_title: "Day driver" })]);
    await store([{ type: "timesheet", id: three, deleted: true }]);
    expect(await undo(operator, id)).toMatchObject({
      status: 409,
      body: { code: "changed_since", changed_ids: [two, three] },
    });
    expect(await statesOf(one, two)).toEqual(["paid", "paid"]);
  });

  test("D41: the record that the change began with may be gone, or come back", async () => {
    const id = await pay([first, first + 1]);
    await store([{ type: "timesheet", id: first, deleted: true }]);
    expect(await undo(operator, id)).toMatchObject({ status: 409, body: { changed_ids: [first] } });
    await store([timesheetLine(first, 1, { state: "paid" })]);
    expect(await undo(operator, id)).toMatchObject({ status: 409, body: { changed_ids: [first] } });
  });

  test("D41: a later change of the same records stands against it, that one is undone first", async () => {
    const id = await pay([first, first + 1]);
    const later = await mark(operator, [first, first + 1], "pending");
    expect(await undo(operator, id)).toMatchObject({ status: 409, body: { changed_ids: [first, first + 1] } });
    expect(await undo(operator, later.headers["change-id"])).toMatchObject({ status: 200 });
    expect(await undo(operator, id)).toMatchObject({ status: 409, body: { code: "changed_since" } });
  });

  test("D41: a change is undone once", async () => {
    const id = await pay([first]);
    await undo(operator, id);
    expect(await undo(operator, id)).toMatchObject({ status: 409, body: { code: "change_undone" } });
    expect(await statesOf(first)).toEqual(["pending"]);
  });

  test("D41: 24 hours count from the change, not from a repetition of its request", async () => {
    const sent = { key: `late-${first}` };
    const { headers } = await mark(operator, [first], "paid", sent);
    const day = 24 * 60 * 60_000;
    vi.setSystemTime(Date.parse(now) + day - 1);
    await mark(operator, [first], "paid", sent);
    vi.setSystemTime(Date.parse(now) + day);
    expect(await undo(operator, headers["change-id"])).toMatchObject({ status: 409, body: { code: "change_expired" } });
    vi.setSystemTime(Date.parse(now) + day - 1);
    expect(await undo(operator, headers["change-id"])).toMatchObject({ status: 200 });
  });
});
