import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as deliverPin } from "../../functions/workers/deliver-pin.ts";
import { handler as notify } from "../../functions/workers/notify.ts";
import { handler as notifyPasswordChanged } from "../../functions/workers/notify-password-changed.ts";
import { userKey } from "../../shared/db/accounts/users.ts";
import { readHmacKeyVersions, writeSecret } from "../../shared/secrets.ts";
import { settings } from "../../shared/settings.ts";
import { crashEverywhere } from "../support/faults/crash.ts";
import { at, useSigningKey } from "../support/records/own-user.ts";
import { companyLine, userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { readItem } from "../support/records/writes.ts";
import { closePinFlow, guessesAt } from "../support/requests/guesses.ts";
import { newestPin } from "../support/requests/pins.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { confirmPin, requestPin, setNewPassword, signInWith } from "../support/requests/recovery.ts";
import { sandboxPin, setSandbox, useSandbox } from "../support/requests/sandbox.ts";
import { countedMetrics, loggedLines } from "../support/service/capture-logs.ts";
import { useService } from "../support/service/service.ts";
import { drain, nothingFailed, queueEvent, streamRecord } from "../support/workers/workers.ts";

const service = useService();
const companyId = 900;
const phone = "+447400123456";
const loginOf = (id: number) => `review-${id}@example.com`;
const ids = Array.from({ length: 30 }, (_, at) => 9_000 + at);
const sandbox = { companyId, logins: [...ids.map(loginOf), phone] };
const newPassword = "eleven loud lanterns";
let id = 9_000;
let login = "";

useSigningKey();
useSandbox(sandbox);
beforeAll(() => store([companyLine(companyId, "Sandbox")]));
beforeEach(async () => {
  id += 1;
  login = loginOf(id);
  await storeUser({});
  service.inbox.clear();
  loggedLines.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  setSandbox({ ...sandbox, until: "2999-12-31" });
});

function storeUser(changes: object) {
  return store([userLine(id, { email: login, role: "driver", financial_company_id: companyId, ...changes })]);
}

describe("D9: a login of the sandbox", () => {
  test.each(["driver", "client"])("gets its pin, which is sent to nobody, as a %s", async (role) => {
    await storeUser({ role });
    expect((await requestPin(login)).status).toBe(200);
    expect(service.inbox.entries()).toEqual([]);
    const { status, body } = await confirmPin(login, sandboxPin);
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ id, role, company: { id: companyId } });
  });

  test("recovers with it from the request to the sign-in, and no message is sent, of the new password neither", async () => {
    await requestPin(login);
    const token = (await confirmPin(login, sandboxPin)).body.user.reset_password_token;
    const before = await readItem(userKey(id));
    expect((await setNewPassword(token, newPassword)).status).toBe(200);
    const Records = [streamRecord(userKey(id), { before, after: await readItem(userKey(id)) })];
    expect(await notify({ Records })).toEqual(nothingFailed);
    expect(await drain("NOTICE_QUEUE_URL", notifyPasswordChanged)).toEqual([]);
    expect(service.inbox.entries()).toEqual([]);
    expect((await signInWith(login, newPassword)).status).toBe(200);
  });

  test("D11: of a phone number costs no SMS: neither one sent nor one counted", async () => {
    await storeUser({ phone_number: phone });
    await requestPin(phone);
    expect(service.inbox.entries()).toEqual([]);
    expect(await readItem({ pk: `SMS#${new Date().toISOString().slice(0, 13)}`, sk: "SMS" })).toBeUndefined();
    expect((await confirmPin(phone, sandboxPin)).status).toBe(200);
    await storeUser({ phone_number: null });
  });

  test("D13, D14: has its answers repeated for a minute, as any other", async () => {
    await requestPin(login);
    const from = "192.0.2.44";
    const [first, again] = [await confirmPin(login, sandboxPin, from), await confirmPin(login, sandboxPin, from)];
    expect(again.body).toEqual(first.body);
    expectProblem(await confirmPin(login, sandboxPin), 422, "pin_invalid");
    const token = first.body.user.reset_password_token;
    const set = [await setNewPassword(token, newPassword), await setNewPassword(token, newPassword)];
    expect(set.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("gets a pin of its own once the sandbox is over, and while what it leads to would outlast it", async () => {
    setSandbox({ ...sandbox, until: "2026-06-01" });
    at("2026-06-01T23:34:59.000");
    await requestPin(login);
    expect(service.inbox.entries()).toEqual([]);
    at("2026-06-01T23:36:00.000");
    await requestPin(login);
    expect(service.inbox.entries()).toHaveLength(1);
    at("2026-06-02T08:00:00.000");
    await requestPin(login);
    expect(service.inbox.entries()).toHaveLength(2);
    expectProblem(await confirmPin(login, sandboxPin), 422, "pin_invalid");
    expect((await guessesAt(login)).pins).toHaveLength(1);
    expect((await confirmPin(login, newestPin(service.inbox, login))).status).toBe(200);
    // The pin is as any other: it forgives.
    expect((await guessesAt(login)).pins).toEqual([]);
    expect(countedMetrics()).toEqual([{ PinFailures: 1 }]);
  });

  test("D10: gets no pin while its pins must be long: nothing is sent, and the log says so", async () => {
    await requestPin(login);
    await closePinFlow(login);
    const from = "192.0.2.45";
    at(new Date(Date.now() + 120_000).toISOString().slice(0, -1));
    expect((await requestPin(login, from)).status).toBe(200);
    expect(service.inbox.entries()).toEqual([]);
    expectProblem(await confirmPin(login, sandboxPin), 422, "pin_invalid");
    expect(loggedLines.join("")).toContain('"code":"sandbox_login_locked"');
    expect(countedMetrics()).toContainEqual({ SandboxPinsWithheld: 1 });
  });

  test("without a whole pin in the secret goes to the dead letters, and the log does not have the secret", async () => {
    const arn = settings.hmacSecretArn();
    const [made] = (await readHmacKeyVersions()).versions;
    await writeSecret(arn, { version: 1, key: made?.key, pin: "77123" });
    const asked = { login, channel: "email", requestId: "r", requestedAt: new Date(), digits: 6 };
    const message = { ...asked, validTo: new Date(Date.now() + 600_000) };
    const outcome = await deliverPin(queueEvent(message));
    await writeSecret(arn, { version: 1, key: made?.key, pin: sandboxPin });
    expect(outcome.batchItemFailures).toHaveLength(1);
    expect(service.inbox.entries()).toEqual([]);
    expect(loggedLines.join("")).not.toContain("77123");
  });
});

describe("D9: a listed login is as any other, and the log says that it was refused", () => {
  test.each([
    ["of an admin", { role: "admin" }],
    ["of an operator", { role: "operator" }],
    ["of another company", { financial_company_id: 1 }],
    ["of no company", { financial_company_id: null }],
  ])("%s", async (_, changes) => {
    await storeUser(changes);
    await requestPin(login);
    const pin = newestPin(service.inbox, login);
    expectProblem(await confirmPin(login, sandboxPin), 422, "pin_invalid");
    expect((await confirmPin(login, pin)).status).toBe(200);
    const logged = loggedLines.join("");
    expect(logged).toContain('"code":"sandbox_login_refused"');
    expect(logged).toContain(`"user_id":${id}`);
    expect(logged).not.toContain(login);
    expect(countedMetrics()).toContainEqual({ SandboxPinsWithheld: 1 });
  });
});

test("D9: users of the sandbox's company whose login is not listed get a pin of their own, and no warning", async () => {
  const other = `other-${id}@example.com`;
  await storeUser({ email: other });
  await requestPin(other);
  expect((await confirmPin(other, newestPin(service.inbox, other))).status).toBe(200);
  expect(loggedLines.join("")).not.toContain("sandbox");
});

test("D12: a worker that died anywhere is made good by the queue: the pin counts, and nothing was sent", async () => {
  const crashes = await crashEverywhere(async (kill, place) => {
    id += 1;
    login = loginOf(id);
    await storeUser({ email: login });
    setSandbox({ ...sandbox, logins: [login], until: "2999-12-31" });
    const asked = { login, channel: "email", requestId: place, digits: 6 };
    const requestedAt = new Date();
    const message = { ...asked, requestedAt, validTo: new Date(requestedAt.getTime() + 600_000) };
    await kill(() => deliverPin(queueEvent(message)));
    vi.useFakeTimers({ now: requestedAt.getTime() + 180_000, toFake: ["Date"] });
    expect(await deliverPin(queueEvent(message)), place).toEqual(nothingFailed);
    expect((await confirmPin(login, sandboxPin)).status, place).toBe(200);
    vi.useRealTimers();
  });
  expect(crashes).toBeGreaterThan(6);
  expect(service.inbox.entries()).toEqual([]);
});

test("the pin and the login are in no log line", async () => {
  await requestPin(login);
  await confirmPin(login, sandboxPin);
  const logged = loggedLines.join("");
  expect(logged).not.toContain(sandboxPin);
  expect(logged).not.toContain(login);
});
