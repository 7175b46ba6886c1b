import { PurgeQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { handler as registerHandler } from "../../../functions/accounts/register-user.ts";
import { handler as resetHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import { forgetGuesses } from "../../../shared/accounts/forget-guesses.ts";
import { registerUser, requestPasswordReset } from "../../../shared/contract/accounts.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call, type TestAnswer } from "../../support/requests/call.ts";
import { deliverPins, newestPin, otherPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { confirmPin } from "../../support/requests/recovery.ts";
import { forgetThrottles } from "../../support/requests/throttles.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const login = "ines@example.com";
const password = "a harbour before dawn";
const phones = Array.from({ length: 6 }, (_, index) => `+44740012345${index}`);
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const requests = usualOrFull(80, 10_000);
const sideBySide = usualOrFull(10, 50);
const hours = usualOrFull(1, 25);
/** Requests beyond a limit. */
const beyond = usualOrFull(4, 20);
const start = Math.ceil(Date.now() / hour) * hour;

beforeAll(async () => {
  await rotate();
  await store([
    userLine(10, { email: login, password }),
    ...phones.map((phone_number, index) => userLine(20 + index, { email: null, phone_number })),
    ...Array.from({ length: 100 }, (_, index) => userLine(100 + index, { email: `many-${index}@example.com` })),
  ]);
});

beforeEach(async () => {
  vi.useFakeTimers({ now: start, toFake: ["Date"] });
  await forgetThrottles(service);
  service.inbox.clear();
});

afterEach(async () => {
  vi.useRealTimers();
  const client = new SQSClient({});
  await client.send(new PurgeQueueCommand({ QueueUrl: process.env.PIN_QUEUE_URL })).catch(() => undefined);
  client.destroy();
});

function ask(name: string, from?: string): Promise<TestAnswer> {
  return call(resetHandler, requestPasswordReset, { body: { user: { login: name } }, ...(from && { from }) });
}

function trySignIn(name: string, secret: string, from?: string): Promise<TestAnswer> {
  return call(signInHandler, signIn, { body: { user: { login: name, password: secret } }, ...(from && { from }) });
}

/** Sends many requests side by side, and counts the answers by status; keeps none of them, nor their log lines. */
async function burst(count: number, send: (index: number) => Promise<TestAnswer>): Promise<Record<number, number>> {
  const counted: Record<number, number> = {};
  let next = 0;
  const runner = async () => {
    for (let index = next++; index < count; index = next++) {
      const { status } = await send(index);
      counted[status] = (counted[status] ?? 0) + 1;
      if (loggedLines.length > 2_000) loggedLines.length = 0;
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, runner));
  return counted;
}

async function messages(): Promise<number> {
  await deliverPins();
  return service.inbox.entries().length;
}

test(
  `D11: a burst of ${requests} password requests, half for one login and half from one address, sends 1 and 30 messages`,
  async () => {
    // Those for the login come each from an address of its own, those from the address are each for another login.
    const counted = await burst(requests, (index) =>
      index % 2 ? ask(login) : ask(`many-${index / 2}@example.com`, "198.51.100.7"),
    );
    expect(counted).toEqual({ 200: requests / 2 + 30, 429: requests / 2 - 30 });
    expect(await messages()).toBe(31);
    expect(service.inbox.entries().filter(({ to }) => to === login)).toHaveLength(1);
  },
  usualOrFull(90_000, 600_000),
);

test(
  `D11: a request every minute of ${hours} hours, for one login from ever new addresses, sends 5 messages at once and then one every 15 minutes`,
  async () => {
    const sentAt: number[] = [];
    for (let minutes = 0; minutes < hours * 60; minutes += 1) {
      vi.setSystemTime(start + minutes * minute);
      if ((await ask(login)).status === 200) sentAt.push(minutes);
    }
    expect(sentAt.slice(0, 8)).toEqual([0, 1, 2, 10, 11, 26, 41, 56]);
    expect(sentAt.length).toBeLessThanOrEqual(5 + (hours * 60) / 15);
  },
  usualOrFull(60_000, 600_000),
);

test("D11: every address of an IPv6 /56 is one client; the next /56 is another", async () => {
  const counted = await burst(30 + beyond, (index) =>
    ask(`many-${index}@example.com`, `2001:db8:1:2${index.toString(16).padStart(2, "0")}::1`),
  );
  expect(counted).toEqual({ 200: 30, 429: beyond });
  expect((await ask("many-60@example.com", "2001:db8:1:300::1")).status).toBe(200);
});

test("D11: a /48 asks for 120 pins an hour, from however many of its /56", async () => {
  const counted = await burst(120 + beyond, (index) =>
    ask(`net-${index}@example.com`, `2001:db8:9:${(index * 256).toString(16)}::1`),
  );
  expect(counted).toEqual({ 200: 120, 429: beyond });
  expect((await ask("net-200@example.com", "2001:db8:a:1::1")).status).toBe(200);
});

test("D11: what a client writes into a header is not its address", async () => {
  const counted = await burst(30 + beyond, (index) => {
    const headers = {
      "x-forwarded-for": `203.0.113.${index}`,
      forwarded: `for=203.0.113.${index}`,
      "x-real-ip": "192.0.2.1",
    };
    return call(resetHandler, requestPasswordReset, {
      body: { user: { login: `many-${index}@example.com` } },
      headers,
      from: "198.51.100.8",
    });
  });
  expect(counted).toEqual({ 200: 30, 429: beyond });
});

test("D11: one spelling of a login is as good as another: they share their limits; so do registrations and resets", async () => {
  const user = { login: "many-97@example.com", password, first_name: "Ines", last_name: "Marsh" };
  const first = await call(registerHandler, registerUser, { body: { user } });
  vi.setSystemTime(start + 30 * second);
  for (const spelling of ["Many-97@Example.com ", " MANY-97@EXAMPLE.COM"]) {
    expect((await ask(spelling)).body.user.pin_valid_to).toBe(first.body.user.pin_valid_to);
  }
  const phone = await ask("07400 123450");
  vi.setSystemTime(start + 40 * second);
  expect((await ask("+44 7400 123450")).body.user.pin_valid_to).toBe(phone.body.user.pin_valid_to);
  expect(await messages()).toBe(2);
});

test.each([
  ["3 in 10 minutes", [0, minute, 2 * minute], 10 * minute],
  ["5 an hour", [0, 10, 20, 30, 40].map((minutes) => minutes * minute), hour],
  ["10 a day", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((hours) => hours * hour), 24 * hour],
])("D11: %s of a login for one client: a millisecond too early is 429 with whole minutes to wait, the very edge is 200", async (_, moments, edge) => {
  for (const moment of moments) {
    vi.setSystemTime(start + moment);
    expect((await ask(login, "198.51.100.12")).status).toBe(200);
  }
  vi.setSystemTime(start + edge - 1);
  const early = await ask(login, "198.51.100.12");
  expectProblem(early, 429, "too_many_requests");
  expect(early.headers["retry-after"]).toBe("60");
  vi.setSystemTime(start + edge);
  expect((await ask(login, "198.51.100.12")).status).toBe(200);
});

test("D11: 30 an hour from an address: a millisecond too early is 429, the very edge is 200", async () => {
  const from = "198.51.100.9";
  for (let index = 0; index < 30; index += 1) expect((await ask(`many-${index}@example.com`, from)).status).toBe(200);
  vi.setSystemTime(start + hour - 1);
  expectProblem(await ask("many-50@example.com", from), 429, "too_many_requests");
  vi.setSystemTime(start + hour);
  expect((await ask("many-50@example.com", from)).status).toBe(200);
});

test("D9: a pin counts until 9:59.999 after it was asked for; at 10:00.000 it is refused", async () => {
  // No other test has asked for a pin of this login at a later time: a later pin would stand.
  const name = "many-99@example.com";
  await ask(name);
  await deliverPins();
  const pin = newestPin(service.inbox, name);
  vi.setSystemTime(start + 10 * minute);
  expectProblem(await confirmPin(name, pin), 422, "pin_invalid");
  vi.setSystemTime(start + 10 * minute - 1);
  expect((await confirmPin(name, pin)).status).toBe(200);
});

/** Asks for a pin, reads it, and tries others, each from an address of its own. */
async function failWith(name: string, tries: number): Promise<string> {
  service.inbox.clear();
  expect((await ask(name)).status).toBe(200);
  await deliverPins();
  const pin = newestPin(service.inbox, name);
  for (let offset = 1; offset <= tries; offset += 1) await confirmPin(name, otherPin(pin, offset));
  return pin;
}

test("D10: after 20 failed tries in a day, over all pins of a login, its pins have ten digits; at the very edge six again", async () => {
  const name = "many-98@example.com";
  for (const minutes of [0, 1, 60, 61]) {
    vi.setSystemTime(start + minutes * minute);
    await failWith(name, 5);
  }
  vi.setSystemTime(start + 24 * hour - 1);
  const long = await failWith(name, 5);
  expect(long).toMatch(/^[0-9]{10}$/);
  vi.setSystemTime(start + 24 * hour + minute);
  expect(await failWith(name, 0)).toMatch(/^[0-9]{6}$/);
});

test("D10: after 100 failed tries in a row a login's pins have ten digits for good, with the same answers; unlocking ends it", async () => {
  const name = "closed@example.com";
  await store([userLine(12, { email: name, password })]);
  for (let pins = 0; pins < 20; pins += 1) {
    vi.setSystemTime(start + pins * 6.5 * hour);
    expect(await failWith(name, 5)).toMatch(/^[0-9]{6}$/);
  }
  vi.setSystemTime(start + 20 * 24 * hour);
  expect(await failWith(name, 0)).toMatch(/^[0-9]{10}$/);
  await forgetGuesses(name, new Date());
  vi.setSystemTime(start + 21 * 24 * hour);
  const open = await failWith(name, 0);
  expect(open).toMatch(/^[0-9]{6}$/);
  expect((await confirmPin(name, open)).status).toBe(200);
});

test("D10: 30 tries of pins in 5 minutes from an address, whatever the logins; the very edge opens again", async () => {
  const from = "198.51.100.10";
  const answers = [];
  for (let index = 0; index < 31; index += 1)
    answers.push(await confirmPin(`many-${index}@example.com`, "000000", from));
  expect(answers.slice(0, 30).every(({ status }) => status === 422)).toBe(true);
  expectProblem(answers[30] as TestAnswer, 429, "too_many_requests");
  vi.setSystemTime(start + 5 * minute - 1);
  expectProblem(await confirmPin(login, "000000", from), 429, "too_many_requests");
  vi.setSystemTime(start + 5 * minute);
  expectProblem(await confirmPin(login, "000000", from), 422, "pin_invalid");
});

test("D15: a burst of wrong passwords from ever new addresses is compared 60 times a day, and the right one waits until midnight", async () => {
  const counted = await burst(60 + beyond, () => trySignIn(login, "not the password"));
  expect(counted).toEqual({ 401: 60, 429: beyond });
  const midnight = Math.ceil((start + 1) / (24 * hour)) * 24 * hour;
  vi.setSystemTime(midnight - 1);
  expectProblem(await trySignIn(login, password), 429, "too_many_requests");
  vi.setSystemTime(midnight);
  expect((await trySignIn(login, password)).status).toBe(200);
});

test("D11: over the stage's ceiling of SMS in a day nothing is sent, the answer is the same, and one line a request says it", async () => {
  // A day that no other test has sent in, from its first moment on.
  const window = 24 * hour;
  const day = Math.ceil(start / window) * window + window;
  const before = { SMS_PER_DAY: process.env.SMS_PER_DAY };
  Object.assign(process.env, { SMS_PER_DAY: "3" });
  try {
    vi.setSystemTime(day);
    loggedLines.length = 0;
    const answers = [];
    for (const phone of phones) {
      answers.push(await ask(phone));
      await deliverPins();
    }
    const shapes = answers.map(({ status, headers, body }) => [status, Object.keys(headers), Object.keys(body.user)]);
    expect(new Set(shapes.map((shape) => JSON.stringify(shape))).size).toBe(1);
    expect(service.inbox.entries()).toHaveLength(3);
    const reached = loggedLines.filter((line) => line.includes('"code":"sms_ceiling_reached"'));
    expect(reached).toHaveLength(3);
    expect(JSON.parse(reached[0] ?? "")).toMatchObject({ level: "error" });
    expect(reached.join("")).not.toContain("+44");

    await ask(login);
    expect(await messages()).toBe(4);
    vi.setSystemTime(day + window - 1);
    expect((await ask(phones[0] ?? "")).status).toBe(200);
    expect(await messages()).toBe(4);
    vi.setSystemTime(day + window);
    expect((await ask(phones[1] ?? "")).status).toBe(200);
    expect(await messages()).toBe(5);
  } finally {
    Object.assign(process.env, before);
  }
});
