import { PurgeQueueCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as confirmHandler } from "../../../functions/accounts/confirm-login-by-body.ts";
import { handler as getProfileHandler } from "../../../functions/accounts/get-profile.ts";
import { handler } from "../../../functions/accounts/register-user.ts";
import { handler as requestHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as setPasswordHandler } from "../../../functions/accounts/set-password.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { handler as rotateSigningKey } from "../../../functions/workers/rotate-signing-key.ts";
import { pinIn } from "../../../infra/local/aws/message-pin.ts";
import { findUserOfLogin } from "../../../shared/accounts/shown-user.ts";
import {
  confirmLoginByBody,
  getProfile,
  registerUser,
  requestPasswordReset,
  setPassword,
} from "../../../shared/contract/accounts.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { userLine } from "../../support/records/records.ts";
import { readRecord, store } from "../../support/records/store.ts";
import { faultsOf } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { deliverPins, newestPin, storedPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const password = "seven quiet harbours";
const names = { first_name: "Ada", last_name: "Holt" };
let lastUser = 1_000;
let login = "";

beforeAll(() => rotateSigningKey());
beforeEach(() => {
  // Each test has a login of its own, which nobody has registered.
  lastUser += 1;
  login = `new-${lastUser}@example.com`;
  service.inbox.clear();
});
afterEach(async () => {
  vi.useRealTimers();
  process.env.REGISTRATION = "open";
  await new SQSClient({}).send(new PurgeQueueCommand({ QueueUrl: process.env.PIN_QUEUE_URL }));
});

async function register(changes: Record<string, unknown> = {}) {
  await forgetLimits(service);
  return call(handler, registerUser, { body: { user: { login, password, ...names, ...changes } } });
}

async function registeredPin(changes: Record<string, unknown> = {}): Promise<string> {
  expect((await register(changes)).status).toBe(200);
  await deliverPins();
  return newestPin(service.inbox, login);
}

async function resetPin(): Promise<string> {
  await forgetLimits(service);
  await call(requestHandler, requestPasswordReset, { body: { user: { login } } });
  await deliverPins();
  return newestPin(service.inbox, login);
}

function confirm(pin: string, as = login) {
  return call(confirmHandler, confirmLoginByBody, { body: { user: { login: as, pin } } });
}

function signInWith(typed: string, as = login) {
  return call(signInHandler, signIn, { body: { user: { login: as, password: typed } } });
}

/** Sets password and names with the reset token of a confirmation. */
async function complete(pin: string, typed = password, named: object = names) {
  const { reset_password_token } = (await confirm(pin)).body.user;
  const user = { reset_password_token, password: typed, password_confirmation: typed, ...named };
  return call(setPasswordHandler, setPassword, { body: { user } });
}

async function isKnown(of = login): Promise<boolean> {
  return (await faultsOf(() => findUserOfLogin(of))).length === 0;
}

async function queuedMessages() {
  const QueueUrl = process.env.PIN_QUEUE_URL;
  const { Messages = [] } = await new SQSClient({}).send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
  );
  return Messages.map(({ Body }) => JSON.parse(Body ?? ""));
}

/** Every item that the login stands in, and every pin: its key has a keyed hash of the login. */
async function storedOfLogin(): Promise<string> {
  const scan = new ScanCommand({ TableName: service.tableName, ConsistentRead: true });
  const { Items = [] } = await service.database.send(scan);
  const isOfLogin = (item: Record<string, unknown>) =>
    JSON.stringify(item).includes(login) || String(item.pk).startsWith("PIN#");
  return JSON.stringify(Items.filter(isOfLogin));
}

describe("200", () => {
  test("D16: the answer shows what was sent, the role that a registration makes, and nothing else", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-01T09:00:00.000Z"), toFake: ["Date"] });
    const { status, body, headers } = await register({ login: ` ${login.toUpperCase()} ` });
    expect(status).toBe(200);
    expect(body).toEqual({
      user: {
        id: expect.any(Number),
        company: null,
        contact_phone_number: null,
        email: login,
        financial_company_id: null,
        ...names,
        job_position: null,
        locale: null,
        last_name: "Holt",
        phone_number: null,
        profile_id: null,
        role: "driver",
        pin_valid_to: "2026-05-01T09:12:00.000Z",
      },
    });
    expect(headers).not.toHaveProperty("authorization");
    expect(headers["cache-control"]).toBe("no-store");
  });

  test("D12, D16: a taken login is answered like a new one, and the same is queued", async () => {
    const taken = `taken-${login}`;
    await store([userLine(lastUser, { email: taken, password })]);
    const [fresh, known] = [await register(), await register({ login: taken })];
    const shapeOf = ({ body }: typeof fresh) => ({ ...body.user, id: 0, email: "", pin_valid_to: "" });
    expect([fresh.status, known.status]).toEqual([200, 200]);
    expect(shapeOf(known)).toEqual(shapeOf(fresh));
    expect(Object.keys(known.headers)).toEqual(Object.keys(fresh.headers));
    expect(known.body.user.id).not.toBe(lastUser);
    const queued = await queuedMessages();
    const queuedFor = (of: string) => queued.filter((each) => each.login === of);
    const shapesFor = (of: string) => queuedFor(of).map((each) => [Object.keys(each), each.registers]);
    expect(
      queuedFor(login)
        .map(({ registers }) => registers)
        .toSorted(),
    ).toEqual([false, true]);
    expect(shapesFor(taken).toSorted()).toEqual(shapesFor(login).toSorted());
  });

  test("D16: before its pin is confirmed a registration makes no user and lets nobody in", async () => {
    await registeredPin();
    expect(await isKnown()).toBe(false);
    expectProblem(await signInWith(password), 401, "login_invalid");
  });

  test("D1, D16: its pin makes a driver of no company without names, who sets names and password with the reset token", async () => {
    const { status, body } = await confirm(await registeredPin());
    const { id, reset_password_token } = body.user;
    expect(status).toBe(200);
    const user = {
      id: expect.any(Number),
      company: null,
      contact_phone_number: null,
      email: login,
      financial_company_id: null,
      ...names,
      job_position: null,
      locale: null,
      phone_number: null,
      profile_id: null,
      role: "driver",
    };
    const nameless = { ...user, first_name: "", last_name: "" };
    expect(body.user).toEqual({ ...nameless, reset_password_token: expect.stringMatching(/^[\w-]{43}$/) });
    expectProblem(await signInWith(password), 401, "login_invalid");
    const own = { reset_password_token, password, password_confirmation: password, ...names };
    const completed = await call(setPasswordHandler, setPassword, { body: { user: own } });
    expect(completed.body.user).toEqual({ ...user, id });
    const signedIn = await signInWith(password);
    expect(signedIn.body.user).toEqual({ ...user, id });
    const { authorization = "" } = signedIn.headers;
    const profile = await call(getProfileHandler, getProfile, { headers: { authorization } });
    expect(profile.body.user).toEqual({ ...user, id });
  });

  test("D7, D8, D16: a phone number registers by SMS", async () => {
    const typed = `07400 2${String(lastUser).padStart(5, "0")}`;
    login = `+447400${typed.slice(6)}`;
    const answer = await register({ login: typed });
    expect(answer.body.user).toMatchObject({ email: null, phone_number: login });
    await deliverPins();
    expect(service.inbox.entries()).toMatchObject([{ channel: "sms", to: login }]);
    const completed = await complete(newestPin(service.inbox, login));
    expect(completed.body.user).toMatchObject({ email: null, phone_number: login, role: "driver" });
    expect((await signInWith(password, typed)).status).toBe(200);
  });

  test("D16: ids of registered users are given once, and stay clear of imported ones", async () => {
    const ids = [];
    for (const name of ["one", "two", "three"]) {
      login = `${name}-${lastUser}@example.com`;
      ids.push((await confirm(await registeredPin())).body.user.id);
    }
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toBeGreaterThanOrEqual(1_000_000_000);
  });

  test("D16: of two registrations of one login nothing of either survives but the login: whoever has the mailbox sets names and password", async () => {
    const older = await registeredPin();
    const newer = await registeredPin({ first_name: "Eve", password: "eleven loud lanterns" });
    if (older !== newer) expectProblem(await confirm(older), 422, "pin_invalid");
    const completed = await complete(newer, "nine calm canals", { first_name: "Kim", last_name: "Lee" });
    expect(completed.body.user).toMatchObject({ first_name: "Kim", last_name: "Lee" });
    for (const typed of [password, "eleven loud lanterns"]) {
      expectProblem(await signInWith(typed), 401, "login_invalid");
    }
    expect((await signInWith("nine calm canals")).status).toBe(200);
  });

  test("D16: a user who has names does not change them with a reset token", async () => {
    await store([userLine(lastUser, { email: login })]);
    const completed = await complete(await resetPin(), password, { first_name: "Eve" });
    expect(completed.body.user).toMatchObject({ id: lastUser, first_name: "Ines", last_name: "Marsh" });
    expect(await findUserOfLogin(login)).toMatchObject({ first_name: "Ines" });
  });

  test("D16: neither queue nor table keeps names or password of a registration", async () => {
    const named = { first_name: "Canaryfirst", last_name: "Canarylast" };
    await register(named);
    const messages = JSON.stringify(await queuedMessages());
    const pin = await registeredPin(named);
    const waiting = await storedOfLogin();
    expect((await confirm(pin)).status).toBe(200);
    const confirmed = await storedOfLogin();
    for (const [kept, named] of [
      [messages, login],
      [waiting, "REGISTRATION"],
      [confirmed, login],
    ] as const) {
      expect(kept).toContain(named);
      for (const secret of ["Canary", "$argon2id", password]) expect(kept).not.toContain(secret);
    }
  });

  test("D16: a user who comes into being while a registration waits discards it, and recovers with a pin of their own", async () => {
    const registered = await registeredPin();
    await store([userLine(lastUser, { email: login, password: "eleven loud lanterns" })]);
    expectProblem(await confirm(registered), 422, "pin_invalid");
    const reset = await resetPin();
    if (registered !== reset) expectProblem(await confirm(registered), 422, "pin_invalid");
    expect((await confirm(reset)).body.user).toMatchObject({ id: lastUser, first_name: "Ines", role: "operator" });
    expectProblem(await signInWith(password), 401, "login_invalid");
    expect((await signInWith("eleven loud lanterns")).status).toBe(200);
  });

  test("D9, D16: a stranger who registers a known login replaces no live pin of it, and its owner may register as well", async () => {
    await store([userLine(lastUser, { email: login, password })]);
    await call(requestHandler, requestPasswordReset, { body: { user: { login } } });
    await deliverPins();
    const pin = newestPin(service.inbox, login);
    const before = await storedPin(login);
    for (let times = 0; times < 3; times += 1) {
      const user = { login, password: "nine calm canals", ...names };
      expect((await call(handler, registerUser, { body: { user } })).status).toBe(200);
      await deliverPins();
    }
    expect(await storedPin(login)).toEqual(before);
    expect(service.inbox.entries()).toHaveLength(1);
    expect((await confirm(pin)).body.user).toMatchObject({ id: lastUser, first_name: "Ines" });
  });

  test("D12, D16: asking for a reset makes no user of a registration that waits, and sends nothing", async () => {
    const registered = await registeredPin();
    service.inbox.clear();
    await call(requestHandler, requestPasswordReset, { body: { user: { login } } });
    await deliverPins();
    expect(service.inbox.entries()).toEqual([]);
    expect(await isKnown()).toBe(false);
    expect((await confirm(registered)).body.user).toMatchObject({ role: "driver", email: login });
  });

  test("D16: a confirmed login never changes by registering: its pin confirms, and names and password stay", async () => {
    await store([userLine(lastUser, { email: login, password: "eleven loud lanterns" })]);
    const before = await readRecord("USER", lastUser);
    const pin = await registeredPin();
    expect((await confirm(pin)).body.user).toMatchObject({ id: lastUser, first_name: "Ines", role: "operator" });
    expect(await readRecord("USER", lastUser)).toEqual(before);
    expectProblem(await signInWith(password), 401, "login_invalid");
    expect((await signInWith("eleven loud lanterns")).status).toBe(200);
  });

  test("D16: a login that was registered and confirmed does not change by registering again", async () => {
    await complete(await registeredPin());
    const again = await registeredPin({ first_name: "Eve", password: "eleven loud lanterns" });
    expect((await confirm(again)).body.user).toMatchObject(names);
    expect((await signInWith(password)).status).toBe(200);
    expectProblem(await signInWith("eleven loud lanterns"), 401, "login_invalid");
  });

  test("D16: a login that was imported while its registration waited stays the imported user's", async () => {
    const pin = await registeredPin();
    await store([userLine(lastUser, { email: login })]);
    expectProblem(await confirm(pin), 422, "pin_invalid");
    expect(await findUserOfLogin(login)).toMatchObject({ id: lastUser, first_name: "Ines" });
    expectProblem(await signInWith(password), 401, "login_invalid");
  });

  test("D16: two registrations of one login racing make one user, with neither password", async () => {
    const passwords = [password, "eleven loud lanterns"];
    for (const typed of passwords) await register({ password: typed });
    await deliverPins();
    const sent = service.inbox.entries().map(({ text }) => pinIn(text) ?? "");
    const pins = [...new Set(sent)];
    const answers = await Promise.all([...pins, ...pins].map((pin) => confirm(pin)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const typed of passwords) expectProblem(await signInWith(typed), 401, "login_invalid");
  });

  test("D1: nobody registers as more than a driver", async () => {
    const answer = await register({ role: "admin", financial_company_id: 1, id: 1, passcode: "4711" });
    expect(answer.body.user).toMatchObject({ role: "driver", financial_company_id: null });
    await deliverPins();
    const confirmed = await confirm(newestPin(service.inbox, login));
    expect(confirmed.body.user).toMatchObject({ role: "driver", financial_company_id: null });
  });
});

describe("429", () => {
  const ask = (as: string, from?: string) =>
    call(handler, registerUser, { body: { user: { login: as, password, ...names } }, ...(from && { from }) });

  test("D10, D11: who registers or resets a login within a minute of its registration shares one pin, new or taken", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-01T09:00:00.000Z"), toFake: ["Date"] });
    await store([userLine(lastUser, { email: `taken-${login}` })]);
    for (const as of [login, `taken-${login}`]) {
      const first = await ask(as);
      expect(first.status).toBe(200);
      vi.setSystemTime(new Date("2026-05-01T09:00:59.999Z"));
      const reset = await call(requestHandler, requestPasswordReset, { body: { user: { login: as } } });
      for (const { body } of [await ask(as), reset]) {
        expect(body.user.pin_valid_to).toBe(first.body.user.pin_valid_to);
      }
      vi.setSystemTime(new Date("2026-05-01T09:00:00.000Z"));
      await deliverPins();
      expect(service.inbox.entries().filter(({ to }) => to === as)).toHaveLength(1);
    }
  });

  test("D11, D16: whoever asks for pins of a login keeps nobody from registering it, new or taken, and the other way round", async () => {
    await store([userLine(lastUser, { email: `taken-${login}` })]);
    const reset = (as: string) => call(requestHandler, requestPasswordReset, { body: { user: { login: as } } });
    for (const as of [login, `taken-${login}`]) {
      const statuses = [];
      for (let minute = 0; minute < 8; minute += 1) {
        vi.useFakeTimers({ now: Date.parse("2026-05-01T09:00:00.000Z") + minute * 61_000, toFake: ["Date"] });
        statuses.push((await reset(as)).status, (await ask(as)).status);
      }
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
  });

  test("D11: one address registers 30 times an hour, for whatever logins, and the next hour again", async () => {
    await forgetLimits(service);
    vi.useFakeTimers({ now: new Date("2026-05-01T09:59:59.999Z"), toFake: ["Date"] });
    const statuses = [];
    for (let index = 0; index < 31; index += 1) {
      statuses.push((await ask(`x-${index}-${login}`, "198.51.100.7")).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
    const refused = await ask(login, "198.51.100.7");
    expectProblem(refused, 429, "too_many_requests");
    expect(refused.headers["retry-after"]).toBe("60");
    expect((await ask(login, "198.51.100.8")).status).toBe(200);
    vi.setSystemTime(new Date("2026-05-01T10:00:00.000Z"));
    expect((await ask(login, "198.51.100.7")).status).toBe(200);
  });

  test("D11: a laptop's own clients are not limited by address", async () => {
    const statuses = new Set();
    for (let index = 0; index < 35; index += 1) statuses.add((await ask(`l-${index}-${login}`, "127.0.0.1")).status);
    expect([...statuses]).toEqual([200]);
  });
});

test("D16: no login, name, password or pin is logged, and the queue holds no password", async () => {
  loggedLines.length = 0;
  await register({ first_name: "Canaryfirst", last_name: "Canarylast" });
  expect(JSON.stringify(await queuedMessages())).not.toContain(password);
  const pin = await registeredPin({ first_name: "Canaryfirst", last_name: "Canarylast" });
  await confirm(pin);
  const logged = loggedLines.join("");
  expect(logged).toContain("register-user");
  for (const secret of [login, password, "Canary", `"${pin}"`, "$argon2id"]) expect(logged).not.toContain(secret);
});
