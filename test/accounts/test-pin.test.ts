import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as deliverPin } from "../../functions/workers/deliver-pin.ts";
import { userKey } from "../../shared/db/accounts/users.ts";
import { useNetwork } from "../support/faults/network.ts";
import { at, useSigningKey } from "../support/records/own-user.ts";
import { companyLine, userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { readItem } from "../support/records/writes.ts";
import { askPin, register, requestPin, setNewPassword, tryPassword, tryPin } from "../support/requests/accounts.ts";
import { forgetLimits } from "../support/requests/limits.ts";
import { changePin, deliverPins, newestPin, otherPin, pinMessage, useUpShortPins } from "../support/requests/pins.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { loggedLines } from "../support/service/capture-logs.ts";
import { useService } from "../support/service/service.ts";
import { queueEvent } from "../support/workers/workers.ts";
import { setTestLogins, storeTestPin, testPin, useTestLogins } from "./test-logins.ts";

const service = useService();
const proxy = useNetwork();
const companyId = 900;
const phone = "+447400123456";
const unknown = "unknown@example.com";
const loginOf = (id: number) => `review-${id}@example.com`;
const testLogins = {
  companyId,
  logins: [phone, unknown, ...Array.from({ length: 60 }, (_, index) => loginOf(9_000 + index))],
};
const password = "eleven loud lanterns";
let id = 9_000;
let login = "";

useSigningKey();
useTestLogins(testLogins);
beforeAll(() => store([companyLine(1), companyLine(companyId, "Test")]));
beforeEach(async () => {
  id += 1;
  login = loginOf(id);
  await storeUser({});
  service.inbox.clear();
  loggedLines.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  setTestLogins({ ...testLogins, until: "2999-12-31" });
});

function storeUser(changes: object): Promise<void> {
  return store([userLine(id, { email: login, role: "driver", financial_company_id: companyId, ...changes })]);
}

const strangers: [string, object][] = [
  ["an operator", { role: "operator" }],
  ["an admin", { role: "admin" }],
  ["a driver of another company", { financial_company_id: 1 }],
  ["a driver of no company", { financial_company_id: null }],
];

describe("D9: a test login", () => {
  test.each(["driver", "client"])("of a %s recovers with the stage's pin, which is sent to nobody", async (role) => {
    await storeUser({ role });
    expect((await requestPin(login)).status).toBe(200);
    const { status, body } = await tryPin(login, testPin);
    expect(status).toBe(200);
    expectProblem(await tryPin(login, testPin), 422, "pin_invalid");
    expect(body.user).toMatchObject({ id, role, company: { id: companyId } });
    expect((await setNewPassword(body.user.reset_password_token, password)).status).toBe(200);
    expect((await tryPassword(login, password)).status).toBe(200);
    expect(service.inbox.entries()).toEqual([]);
  });

  test("D11: of a phone number costs no SMS: neither one sent nor one counted", async () => {
    await storeUser({ phone_number: phone });
    await forgetLimits(service);
    await requestPin(phone);
    expect(service.inbox.entries()).toEqual([]);
    const day = `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;
    for (const channel of ["sms", "email"]) expect(await readItem({ pk: `LIMIT#${channel}`, sk: day })).toBeUndefined();
    expect((await tryPin(phone, testPin)).status).toBe(200);
    await storeUser({ phone_number: null });
  });

  test("is confirmed by the stage's pin until the end alone, to the millisecond; then it has a pin of its own", async () => {
    setTestLogins({ ...testLogins, until: "2026-06-02" });
    at("2026-06-01T23:59:59.999");
    await requestPin(login);
    expect(service.inbox.entries()).toEqual([]);
    at("2026-06-02T00:00:00.000");
    expectProblem(await tryPin(login, testPin), 422, "pin_invalid");
    at("2026-06-01T23:59:59.999");
    expect((await tryPin(login, testPin)).status).toBe(200);
    at("2026-06-02T00:01:00.000");
    await requestPin(login);
    expectProblem(await tryPin(login, testPin), 422, "pin_invalid");
    expect((await tryPin(login, newestPin(service.inbox, login))).status).toBe(200);
  });

  test.each(["2026-06-02", "soon"])("gets a pin of its own if the end is %s: that moment, or none", async (until) => {
    setTestLogins({ ...testLogins, until });
    at("2026-06-02T00:00:00.000");
    await requestPin(login);
    expect(newestPin(service.inbox, login)).toMatch(/^\d{6}$/);
  });

  test.each(strangers)("that is of %s gets a pin of its own", async (_, changes) => {
    await storeUser(changes);
    await requestPin(login);
    expectProblem(await tryPin(login, testPin), 422, "pin_invalid");
    const pin = newestPin(service.inbox, login);
    expect(pin).toMatch(/^\d{6}$/);
    expect((await tryPin(login, pin)).status).toBe(200);
  });

  test("that nobody has gets nothing for a reset, and a pin of its own for a registration", async () => {
    expect((await requestPin(unknown)).status).toBe(200);
    expectProblem(await tryPin(unknown, testPin), 422, "pin_invalid");
    expect(service.inbox.entries()).toEqual([]);
    expect((await register(unknown)).status).toBe(200);
    await deliverPins();
    expectProblem(await tryPin(unknown, testPin), 422, "pin_invalid");
    expect(newestPin(service.inbox, unknown)).toMatch(/^\d{6}$/);
  });

  test("without a whole pin in the secret goes to the dead letters, and the log does not have the secret", async () => {
    await storeTestPin("77123");
    const outcome = await deliverPin(queueEvent(pinMessage(login)));
    await storeTestPin(testPin);
    expect(outcome.batchItemFailures).toHaveLength(1);
    expect(service.inbox.entries()).toEqual([]);
    expect(loggedLines.join("")).not.toContain("77123");
  });
});

test("D9: a user of the company whose login is not listed gets a pin of their own", async () => {
  const other = `other-${id}@example.com`;
  await storeUser({ email: other });
  await requestPin(other);
  expectProblem(await tryPin(other, testPin), 422, "pin_invalid");
  expect((await tryPin(other, newestPin(service.inbox, other))).status).toBe(200);
});

test("D9: nobody confirms a test login that did not ask for a pin", async () => {
  expectProblem(await tryPin(login, testPin), 422, "pin_invalid");
});

describe.each(strangers)("D9: who knows the pin gets nothing of a user who became %s", (_, changes) => {
  test("by a pin that was asked for before", async () => {
    await requestPin(login);
    await storeUser(changes);
    expectProblem(await tryPin(login, testPin), 422, "pin_invalid");
  });

  test("while it is confirmed", async () => {
    await requestPin(login);
    const release = proxy.hold("TransactWriteItems");
    const confirming = tryPin(login, testPin);
    await proxy.held("TransactWriteItems");
    await storeUser(changes);
    release();
    expectProblem(await confirming, 422, "pin_invalid");
    expect((await readItem(userKey(id)))?.reset_hash).toBeUndefined();
  });

  test("by an answer that they got before, or its repetition; the user recovers with a pin of their own", async () => {
    at("2026-06-01T09:00:00.000");
    const from = "192.0.2.60";
    await requestPin(login);
    const token = (await tryPin(login, testPin, { from })).body.user.reset_password_token;
    await storeUser(changes);
    expectProblem(await tryPin(login, testPin, { from }), 422, "pin_invalid");
    expectProblem(await setNewPassword(token, password), 422, "reset_token_invalid");
    at("2026-06-01T09:00:01.000");
    await requestPin(login);
    const { user } = (await tryPin(login, newestPin(service.inbox, login))).body;
    expect((await setNewPassword(user.reset_password_token, password)).status).toBe(200);
  });
});

test("D10: nobody spends the pin of test logins by guesses, though they make the login's own pins long, or those of all logins", async () => {
  await askPin(login);
  await changePin(login, { tries: 20 });
  await deliverPins();
  expectProblem(await tryPin(login, otherPin(testPin)), 422, "pin_invalid");
  expect((await tryPin(login, testPin)).status).toBe(200);
  expect((await requestPin(login)).status).toBe(200);
  await useUpShortPins();
  expect((await tryPin(login, testPin)).status).toBe(200);
  await forgetLimits(service);
});

test("the pin and the login are in no log line", async () => {
  await requestPin(login);
  await tryPin(login, testPin);
  const logged = loggedLines.join("");
  expect(logged).not.toContain(testPin);
  expect(logged).not.toContain(login);
});
