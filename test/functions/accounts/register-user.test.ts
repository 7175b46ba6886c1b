import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler } from "../../../functions/accounts/register-user.ts";
import { handler as rotateSigningKey } from "../../../functions/workers/rotate-signing-key.ts";
import { registerUser } from "../../../shared/contract/accounts.ts";
import { findUserOfLogin } from "../../../shared/people/shown-user.ts";
import { allItems } from "../../support/records/items.ts";
import { at } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { readRecord, store } from "../../support/records/store.ts";
import { faultsOf } from "../../support/records/writes.ts";
import { askPin, register, requestPin, setNewPassword, tryPassword, tryPin } from "../../support/requests/accounts.ts";
import { call } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { askForPin, deliverPins, newestPin, storedPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";

const service = useService();
const [password, other] = ["seven quiet harbours", "eleven loud lanterns"];
const names = { first_name: "Ada", last_name: "Holt" };
let lastUser = 1_000;
let login = "";

beforeAll(() => rotateSigningKey());
beforeEach(async () => {
  // Each test has a login of its own, which nobody has registered.
  lastUser += 1;
  login = `new-${lastUser}@example.com`;
  service.inbox.clear();
  await forgetLimits(service);
  await takeMessages("PIN_QUEUE_URL");
});
afterEach(() => {
  vi.useRealTimers();
  process.env.REGISTRATION = "open";
});

/** A driver as a registration makes one. */
const driver = () => ({
  id: expect.any(Number),
  company: null,
  contact_phone_number: null,
  email: login,
  financial_company_id: null,
  ...names,
  job_position: null,
  phone_number: null,
  profile_id: null,
  role: "driver",
});

async function registeredPin(fields: object = {}): Promise<string> {
  await forgetLimits(service);
  expect((await register(login, fields)).status).toBe(200);
  await deliverPins();
  return newestPin(service.inbox, login);
}

/** Sets password and names with the reset token of a confirmation. */
async function complete(pin: string, named: object = names) {
  const { reset_password_token } = (await tryPin(login, pin)).body.user;
  return setNewPassword(reset_password_token, password, named);
}

/** Every item that the login stands in, and every pin: its key has a keyed hash of the login. */
async function storedOfLogin(): Promise<string> {
  const isOfLogin = (item: Record<string, unknown>) =>
    JSON.stringify(item).includes(login) || String(item.pk).startsWith("PIN#");
  return JSON.stringify((await allItems()).filter(isOfLogin));
}

describe("200", () => {
  test("D16: the answer shows what was sent, the role that a registration makes, and nothing else", async () => {
    at("2026-05-01T09:00:00.000");
    const { status, body, headers } = await register(` ${login.toUpperCase()} `);
    expect(status).toBe(200);
    expect(body).toEqual({ user: { ...driver(), pin_valid_to: "2026-05-01T09:12:00.000Z" } });
    expect(headers).not.toHaveProperty("authorization");
    expect(headers["cache-control"]).toBe("no-store");
    const queued = [true, false].map((registers) => expect.objectContaining({ registers, isKnown: false }));
    expect(await takeMessages("PIN_QUEUE_URL")).toEqual(expect.arrayContaining(queued));
  });

  test("D1, D16: its pin makes a driver without names, who sets names and password with the reset token", async () => {
    const pin = await registeredPin({ role: "admin", financial_company_id: 1, id: 1, passcode: "4711" });
    expect(await faultsOf(() => findUserOfLogin(login))).toEqual(["login_not_found"]);
    expectProblem(await tryPassword(login, password), 401, "login_invalid");
    const confirm = () => tryPin(login, pin, { from: "192.0.2.8" });
    const { status, body } = await confirm();
    const { id, reset_password_token } = body.user;
    expect(status).toBe(200);
    const nameless = { ...driver(), first_name: "", last_name: "" };
    expect(body.user).toEqual({ ...nameless, reset_password_token: expect.stringMatching(/^[\w-]{43}$/) });
    await store([{ type: "user", id, job_position: "Planner" }]);
    expect((await confirm()).body.user).toEqual({ ...body.user, job_position: "Planner" });
    expectProblem(await tryPassword(login, password), 401, "login_invalid");
    const user = { ...driver(), id, job_position: "Planner" };
    expect((await setNewPassword(reset_password_token, password, names)).body.user).toEqual(user);
    expect((await tryPassword(login, password)).body.user).toEqual(user);
  });

  test("D16, D33: names are trimmed, and keep their inside: in the answer, and where they are set", async () => {
    const typed = { first_name: "\u00a0Ana Lúcia\u200b", last_name: "\u200e علی\u200cرضا \r\n" };
    const kept = { first_name: "Ana Lúcia", last_name: "علی\u200cرضا" };
    expect((await register(login, typed)).body.user).toMatchObject(kept);
    expect((await complete(await registeredPin(), typed)).body.user).toMatchObject(kept);
    expect(await findUserOfLogin(login)).toMatchObject(kept);
  });

  test.each([
    ["a line end", "Ada\nHolt"],
    ["a control character", "Ada\u009b31m"],
    ["an override", "Ada \u202etloH"],
    ["an isolate", "Ada \u2066Holt"],
    ["nothing that shows", " \u200b"],
  ])("D16, D33: 422: a name with %s is refused by its field, at both places", async (_, last_name) => {
    const token = (await tryPin(login, await registeredPin())).body.user.reset_password_token;
    for (const answer of [await register(login, { last_name }), await setNewPassword(token, password, { last_name })]) {
      expectProblem(answer, 422, "fields_invalid");
      expect(answer.body.errors).toMatchObject([{ pointer: "/user/last_name" }]);
    }
    expect((await setNewPassword(token, password, names)).status).toBe(200);
  });

  test("D7, D8, D16: a phone number registers by SMS", async () => {
    const typed = `07400 2${String(lastUser).padStart(5, "0")}`;
    login = `+447400${typed.slice(6)}`;
    const shown = { email: null, phone_number: login };
    expect((await register(typed)).body.user).toMatchObject(shown);
    await deliverPins();
    expect(service.inbox.entries()).toMatchObject([{ channel: "sms", to: login }]);
    expect((await complete(newestPin(service.inbox, login))).body.user).toMatchObject({ ...shown, role: "driver" });
    expect((await tryPassword(typed, password)).status).toBe(200);
  });

  test.each([
    { first_name: "Ines", last_name: "Marsh" },
    { first_name: "Ines", last_name: "" },
    { first_name: "", last_name: "Marsh" },
  ])("D16: a user who has a name does not change it with a reset token: %j", async (named) => {
    await store([userLine(lastUser, { email: login, ...named })]);
    const completed = await complete(await askForPin(service, login), { first_name: "Eve", last_name: "Holt" });
    expect(completed.body.user).toMatchObject({ id: lastUser, ...named });
    expect(await findUserOfLogin(login)).toMatchObject(named);
  });

  test.each([{ first_name: "Ada" }, { last_name: "Holt" }])("D16: who has no names may set one: %j", async (named) => {
    const { body } = await complete(await registeredPin(), named);
    expect(body.user).toMatchObject({ first_name: "", last_name: "", ...named });
  });

  test("D16: neither queue nor table keeps names or password of a registration", async () => {
    const named = { first_name: "Canaryfirst", last_name: "Canarylast" };
    await register(login, named);
    const messages = JSON.stringify(await takeMessages("PIN_QUEUE_URL"));
    const pin = await registeredPin(named);
    const waiting = await storedOfLogin();
    expect((await tryPin(login, pin)).status).toBe(200);
    const confirmed = await storedOfLogin();
    for (const [kept, mark] of [
      [messages, login],
      [waiting, "REGISTRATION"],
      [confirmed, login],
    ] as const) {
      expect(kept).toContain(mark);
      for (const secret of ["Canary", "$argon2id", password]) expect(kept).not.toContain(secret);
    }
  });

  test("D16: a user who comes into being while a registration waits discards it, and recovers by a pin", async () => {
    const registered = await registeredPin();
    await store([userLine(lastUser, { email: login, password: other })]);
    expectProblem(await tryPin(login, registered), 422, "pin_invalid");
    expectProblem(await tryPassword(login, password), 401, "login_invalid");
    const reset = await askForPin(service, login);
    if (registered !== reset) expectProblem(await tryPin(login, registered), 422, "pin_invalid");
    expect((await tryPin(login, reset)).body.user).toMatchObject({
      id: lastUser,
      first_name: "Ines",
      role: "operator",
    });
    expect((await tryPassword(login, other)).status).toBe(200);
  });

  test("D7, D16: a taken login, typed in another form, is answered alike and gets an ordinary pin at its stored address", async () => {
    const typed = login.replace("new-", "ｎｅｗ\u2013");
    await store([userLine(lastUser, { email: `taken-${login}` })]);
    const answers = [await register(typed), await register(`taken-${typed}`)];
    expect(answers.map(({ status, body }) => [status, body.user.email])).toEqual([
      [200, login],
      [200, `taken-${login}`],
    ]);
    await deliverPins();
    expect(service.inbox.entries().map(({ to }) => to)).toEqual(expect.arrayContaining([login, `taken-${login}`]));
    expect(service.inbox.entries()).toHaveLength(2);
    expect((await tryPin(`taken-${typed}`, newestPin(service.inbox, `taken-${login}`))).body.user.id).toBe(lastUser);
    expect((await tryPin(typed, newestPin(service.inbox, login))).body.user.email).toBe(login);
  });

  test("D9, D16: a stranger who registers a known login replaces no live pin of it, and its owner may too", async () => {
    await store([userLine(lastUser, { email: login, password })]);
    await requestPin(login);
    const before = await storedPin(login);
    for (let times = 0; times < 3; times += 1) {
      expect((await register(login)).status).toBe(200);
      await deliverPins();
    }
    expect(await storedPin(login)).toEqual(before);
    expect(service.inbox.entries()).toHaveLength(1);
    const confirmed = await tryPin(login, newestPin(service.inbox, login));
    expect(confirmed.body.user).toMatchObject({ id: lastUser, first_name: "Ines" });
  });

  test("D12, D16: asking for a reset makes no user of a registration that waits, and sends nothing", async () => {
    const registered = await registeredPin();
    service.inbox.clear();
    await requestPin(login);
    expect(service.inbox.entries()).toEqual([]);
    expect(await faultsOf(() => findUserOfLogin(login))).toEqual(["login_not_found"]);
    expect((await tryPin(login, registered)).body.user).toMatchObject({ role: "driver", email: login });
  });

  test("D16: a confirmed login never changes by registering: its pin confirms, and names and password stay", async () => {
    await store([userLine(lastUser, { email: login, password: other })]);
    const before = await readRecord("USER", lastUser);
    const confirmed = await tryPin(login, await registeredPin());
    expect(confirmed.body.user).toMatchObject({ id: lastUser, first_name: "Ines", role: "operator" });
    expect(await readRecord("USER", lastUser)).toEqual(before);
    expectProblem(await tryPassword(login, password), 401, "login_invalid");
    expect((await tryPassword(login, other)).status).toBe(200);
  });

  test("D10, D11: who registers or resets a login within a minute of its registration shares one pin", async () => {
    await store([userLine(lastUser, { email: `taken-${login}` })]);
    for (const as of [login, `taken-${login}`]) {
      at("2026-05-01T09:00:00.000");
      const first = await register(as);
      at("2026-05-01T09:00:59.999");
      for (const { body } of [await register(as), await askPin(` ${as.toUpperCase()}`)]) {
        expect(body.user.pin_valid_to).toBe(first.body.user.pin_valid_to);
      }
      at("2026-05-01T09:00:00.000");
      await deliverPins();
      expect(service.inbox.entries().filter(({ to }) => to === as)).toHaveLength(1);
    }
    const asked = await askPin(`asked-${login}`);
    at("2026-05-01T09:00:30.000");
    expect((await register(`asked-${login}`)).body.user.pin_valid_to).toBe(asked.body.user.pin_valid_to);
  });
});

test("D16, D31: 404: while registration is closed the path is not there, whatever the body", async () => {
  process.env.REGISTRATION = "closed";
  const user = { login: "a@example.com", password, ...names };
  for (const body of ["{", { user }]) {
    expectProblem(await call(handler, registerUser, { body }), 404, "route_not_found");
  }
  expect(await takeMessages("PIN_QUEUE_URL")).toEqual([]);
});

describe("422: nothing is queued", () => {
  test.each([
    ["D15: a password many people use", { password: "PASSWORD123" }, "fields_invalid"],
    ["D11: a phone number of a country off the allow-list", { login: "+33612345678" }, "country_not_served"],
    ["D7: a number of unknown kind", { login: "+353990000000" }, "country_not_served"],
  ])("%s", async (_, fields, code) => {
    const answer = await register(login, fields);
    expectProblem(answer, 422, code);
    if (code === "fields_invalid")
      expect(answer.body.errors).toMatchObject([{ pointer: "/user/password", code: "common" }]);
    expect(await takeMessages("PIN_QUEUE_URL")).toEqual([]);
  });
});

describe("429", () => {
  test("D11: one client, of IPv6 a /56, registers 30 times an hour, whatever it writes into headers", async () => {
    at("2026-05-01T09:59:59.999");
    const registerFrom = (place: string, name: string) => {
      const headers = {
        "x-forwarded-for": `203.0.113.${name}`,
        forwarded: `for=203.0.113.${name}`,
        "x-real-ip": "192.0.2.1",
      };
      const user = { login: `x-${name}-${login}`, password, ...names };
      return call(handler, registerUser, { body: { user }, headers, from: `2001:db8:1:${place}::1` });
    };
    // A registration that is refused for its password does not count.
    const user = { login, password: "password123", ...names };
    expect((await call(handler, registerUser, { body: { user }, from: "2001:db8:1:2ff::1" })).status).toBe(422);
    for (let index = 0; index < 30; index += 1) {
      expect((await registerFrom(`2${String(index).padStart(2, "0")}`, `${index}`)).status).toBe(200);
    }
    const refused = await registerFrom("2ff", "30");
    expectProblem(refused, 429, "too_many_requests");
    expect(refused.headers["retry-after"]).toBe("60");
    expect((await registerFrom("300", "31")).status).toBe(200);
    at("2026-05-01T10:00:00.000");
    expect((await registerFrom("2ff", "32")).status).toBe(200);
  });

  test("D11: a laptop's own clients are not limited by address", async () => {
    for (let index = 0; index < 32; index += 1) {
      expect((await register(`l-${index}-${login}`, {}, { from: "127.0.0.1" })).status).toBe(200);
    }
  });
});
