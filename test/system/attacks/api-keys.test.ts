import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { handler as changesHandler } from "../../../functions/changes/list-changes.ts";
import { handler as undoHandler } from "../../../functions/changes/undo-change.ts";
import { handler as payHandler } from "../../../functions/finance/bulk-update-timesheets.ts";
import { handler as invoicesHandler } from "../../../functions/finance/list-invoices.ts";
import { handler as countsHandler } from "../../../functions/notifications/get-unread-counts.ts";
import { keepHistory } from "../../../functions/workers/write-history.ts";
import { listChanges, undoChange } from "../../../shared/contract/changes.ts";
import { bulkUpdateTimesheets, listInvoices } from "../../../shared/contract/finance.ts";
import { getUnreadCounts } from "../../../shared/contract/notifications.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { logChange } from "../../support/records/change-log.ts";
import { costOf } from "../../support/records/costs.ts";
import { allItems } from "../../support/records/items.ts";
import { callerLine, invoiceLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { resetTokenOf, setNewPassword } from "../../support/requests/accounts.ts";
import { askForKey, bearer, deleteKey, keyOf, keyPassword, listKeys } from "../../support/requests/api-keys.ts";
import { call, type TestAnswer } from "../../support/requests/call.ts";
import { isReplay, mark } from "../../support/requests/changes.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";
import { type TestUser, tokenOf } from "../../support/tokens/tokens.ts";

const service = useService();
const network = useNetwork();
let user: TestUser = { id: 1_000, role: "operator", company_id: 1 };
let key: Awaited<ReturnType<typeof keyOf>>;

beforeEach(async () => {
  network.reset();
  user = { ...user, id: user.id + 1 };
  await store([
    callerLine(user, { password: keyPassword }),
    timesheetLine(user.id, 1),
    timesheetLine(user.id + 50_000, 1),
  ]);
  key = await keyOf(user.id, "act", "Pay run");
});

type Headers = Record<string, string>;

const pay = (headers: Headers, passcode?: string, id = user.id) =>
  call(payHandler, bulkUpdateTimesheets, {
    headers,
    body: { timesheet: { timesheet_ids: [id], state: "paid", passcode } },
  });
const undoWith = (headers: Headers, change = "", passcode?: string) =>
  call(undoHandler, undoChange, { headers, parameters: { id: change }, body: { change: { passcode } } });
const counts = (headers: Headers) => call(countsHandler, getUnreadCounts, { headers });
const invoices = (headers: Headers) => call(invoicesHandler, listInvoices, { headers });
const changeOf = ({ headers }: TestAnswer) => headers["change-id"] ?? "";

describe("D46: a program with a key to act", () => {
  test("pays and undoes in its user's name: the history names the key beside the user", async () => {
    const paid: TestAnswer[] = [];
    const record = recordKey("TIMESHEET", user.id);
    await keepHistory(await logChange(record, async () => paid.push(await pay(key.headers))));
    const [{ status } = { status: 0 }] = paid;
    expect(status).toBe(200);
    await keepHistory(
      await logChange(record, async () => paid.push(await undoWith(key.headers, paid[0] && changeOf(paid[0])))),
    );
    expect(paid[1]?.status).toBe(200);
    const query = { record_type: "Timesheet", record_id: String(user.id) };
    const { body } = await call(changesHandler, listChanges, { as: user, query });
    expect(body.changes).toMatchObject([
      { by: { kind: "user", id: String(user.id) }, key_id: key.id, operation: "undo-change" },
      { by: { kind: "user", id: String(user.id) }, key_id: key.id, operation: "bulk-update-timesheets" },
    ]);
  });

  test("and its user's session repeat one request, and it is carried out once", async () => {
    const idempotencyKey = { "idempotency-key": crypto.randomUUID() };
    expect(isReplay(await pay({ ...key.headers, ...idempotencyKey }))).toBe(false);
    expect(isReplay(await mark(user, [user.id], "paid", { key: idempotencyKey["idempotency-key"] }))).toBe(true);
  });

  test("whose user has a passcode pays and undoes nothing, with the right passcode too: no try is counted", async () => {
    const payment = changeOf(await pay(key.headers));
    await store([callerLine(user, { passcode: "4711" })]);
    network.reset();
    for (const passcode of [undefined, "4711", "4712"]) {
      expectProblem(await pay(key.headers, passcode, user.id + 50_000), 403, "key_not_allowed");
      expectProblem(await undoWith(key.headers, payment, passcode), 403, "key_not_allowed");
    }
    expect([...network.calls.keys()].filter((each) => !/^(Get|BatchGet|TransactGet|Query)/.test(each))).toEqual([]);
    expect(await allItems(["LIMIT#"])).toEqual([]);
    expect((await mark(user, [user.id + 50_000], "paid", { passcode: "4711" })).status).toBe(200);
    const reader = await keyOf(user.id);
    expectProblem(await pay(reader.headers), 403, "key_not_allowed");
  });
});

describe("D46: attacks on API keys", () => {
  test("guessing: any number of wrong secrets of a key is 401, writes nothing, and locks nobody out", async () => {
    const known = key.secret.slice(0, -43);
    network.reset();
    for (let tried = 0; tried < usualOrFull(40, 2_000); tried += 1) {
      const guess = `${known}${randomBytes(32).toString("base64url")}`;
      expectProblem(await counts(bearer(guess)), 401, "token_invalid");
    }
    expect([...network.calls.keys()]).toEqual(["GetItem"]);
    expect((await counts(key.headers)).status).toBe(200);
  });

  test("a race of deletion and use: once the deletion is answered, no call succeeds", async () => {
    const during = Array.from({ length: 8 }, () => counts(key.headers));
    const deleted = await deleteKey(user, key.id);
    const after = Array.from({ length: 8 }, () => counts(key.headers));
    expect(deleted.status).toBe(200);
    for (const { status } of await Promise.all(during)) expect([200, 401]).toContain(status);
    for (const answer of await Promise.all(after)) expectProblem(answer, 401, "token_invalid");
  });

  test("a race of demotion and payment: the records change by the old role or not at all, and then no more", async () => {
    const payments = Array.from({ length: 4 }, () => pay(key.headers));
    await store([callerLine({ ...user, role: "client" })]);
    for (const { status } of await Promise.all(payments)) expect([200, 401]).toContain(status);
    expectProblem(await pay(key.headers), 401, "token_invalid");
    expectProblem(await counts(key.headers), 401, "token_invalid");
  });

  test("a stolen session: without the password it makes no key, and learns no secret of those that there are", async () => {
    for (const password of ["", "password", "seven quiet harbour"]) {
      expect([403, 422]).toContain((await askForKey(user, { name: "Mine", password })).status);
    }
    const { body } = await listKeys(user);
    expect(JSON.stringify(body)).not.toMatch(/secret|hash|wfk_/);
    expect(body.keys).toMatchObject([{ id: key.id }]);
  });

  test("a stolen session with the password: the owner's new password ends its keys, and says how many", async () => {
    await askForKey(user, { name: "Mine", access: "act" });
    const login = `user-${user.id}@example.com`;
    const reset = await resetTokenOf(service, login);
    expect((await setNewPassword(reset, "eleven loud lanterns")).status).toBe(200);
    expectProblem(await counts(key.headers), 401, "token_invalid");
    const [stored] = (await allItems([`USER#${user.id}`])).filter(({ sk }) => sk === "USER");
    expect(stored).toMatchObject({ ended_keys: 2 });
    const again = await resetTokenOf(service, login);
    expect((await setNewPassword(again, "nine dim candles")).status).toBe(200);
    const [later] = (await allItems([`USER#${user.id}`])).filter(({ sk }) => sk === "USER");
    expect(later).not.toHaveProperty("ended_keys");
  });

  test("an import that sets another password ends the keys, and says how many", async () => {
    await store([callerLine(user, { password: "eleven loud lanterns" })]);
    expectProblem(await counts(key.headers), 401, "token_invalid");
    const [stored] = (await allItems([`USER#${user.id}`])).filter(({ sk }) => sk === "USER");
    expect(stored).toMatchObject({ ended_keys: 1 });
  });

  test("replay: a secret of a deleted key stays none when a key of the same name is made", async () => {
    await deleteKey(user, key.id);
    expect((await askForKey(user, { name: "Pay run" })).status).toBe(200);
    expectProblem(await counts(key.headers), 401, "token_invalid");
  });
});

describe("D46: what a call with a key costs beside one with a token", () => {
  test.each([
    ["list-invoices", invoices, [2.5, 1], [4.5, 2]],
    ["get-unread-counts", counts, [0.5, 1], [2.5, 2]],
    ["bulk-update-timesheets", (headers: Headers) => pay(headers), [6, 2], [4, 3]],
  ] as const)("%s", async (_, send, byToken, byKey) => {
    await store(Array.from({ length: 3 }, (_, at) => invoiceLine(user.id * 10 + at, 1)));
    const headers = bearer(await tokenOf(user));
    await counts(headers);
    const token = await costOf(() => send(headers));
    await mark(user, [user.id], "pending");
    const withKey = await costOf(() => send(key.headers));
    expect([token.readUnits, token.sequentialTrips]).toEqual(byToken);
    expect([withKey.readUnits, withKey.sequentialTrips]).toEqual(byKey);
  });
});
