import { PurgeQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { handler as registerHandler } from "../../../functions/accounts/register-user.ts";
import { handler as resetHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import { registerUser, requestPasswordReset } from "../../../shared/contract/accounts.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { tryPin } from "../../support/requests/accounts.ts";
import { call, type TestAnswer } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { deliverPins, newestPin, otherPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
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
  await forgetLimits(service);
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
  `D11: a burst of ${requests} password requests, half for one login and half from one address, refuses none and sends one message to each login`,
  async () => {
    // Those for the login come each from an address of its own, those from the address are each for another login.
    const counted = await burst(requests, (index) =>
      index % 2 ? ask(login) : ask(`many-${(index / 2) % 100}@example.com`, "198.51.100.7"),
    );
    expect(counted).toEqual({ 200: requests });
    expect(await messages()).toBe(1 + Math.min(requests / 2, 100));
    expect(service.inbox.entries().filter(({ to }) => to === login)).toHaveLength(1);
  },
  usualOrFull(90_000, 600_000),
);

test(
  `D11: a request every minute of ${hours} hours, for one login from ever new addresses, sends at most ten messages a day and one more every 12 minutes`,
  async () => {
    const day = Math.ceil(start / (24 * hour)) * 24 * hour;
    const sentAt: number[] = [];
    for (let minutes = 0; minutes < hours * 60; minutes += 1) {
      vi.setSystemTime(day + minutes * minute);
      service.inbox.clear();
      expect((await ask(login)).status).toBe(200);
      if ((await messages()) > 0) sentAt.push(minutes);
    }
    expect(sentAt.slice(0, 11)).toEqual([0, 1, 2, 12, 13, 14, 24, 25, 26, 36, 48]);
    const dayMinutes = 24 * 60;
    for (let from = 0; from < hours * 60; from += dayMinutes) {
      const to = Math.min(from + dayMinutes, hours * 60);
      expect(sentAt.filter((at) => at >= from && at < to).length).toBeLessThanOrEqual(10 + (to - from) / 12);
    }
  },
  usualOrFull(60_000, 600_000),
);

function registerFrom(name: string, from: string, headers: Record<string, string> = {}): Promise<TestAnswer> {
  const user = { login: name, password, first_name: "Ines", last_name: "Marsh" };
  return call(registerHandler, registerUser, { body: { user }, headers, from });
}

test("D11: every address of an IPv6 /56 is one client; the next /56 is another", async () => {
  const counted = await burst(30 + beyond, (index) =>
    registerFrom(`net-${index}@example.com`, `2001:db8:1:2${index.toString(16).padStart(2, "0")}::1`),
  );
  expect(counted).toEqual({ 200: 30, 429: beyond });
  expect((await registerFrom("net-60@example.com", "2001:db8:1:300::1")).status).toBe(200);
});

test("D11: what a client writes into a header is not its address", async () => {
  const counted = await burst(30 + beyond, (index) => {
    const headers = {
      "x-forwarded-for": `203.0.113.${index}`,
      forwarded: `for=203.0.113.${index}`,
      "x-real-ip": "192.0.2.1",
    };
    return registerFrom(`head-${index}@example.com`, "198.51.100.8", headers);
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

test("D9: a pin counts until 11:59.999 after it was asked for; at 12:00.000 it is refused", async () => {
  const name = "many-99@example.com";
  await ask(name);
  await deliverPins();
  const pin = newestPin(service.inbox, name);
  vi.setSystemTime(start + 12 * minute);
  expectProblem(await tryPin(name, pin), 422, "pin_invalid");
  vi.setSystemTime(start + 12 * minute - 1);
  expect((await tryPin(name, pin)).status).toBe(200);
});

/** Asks for a pin, reads it, and tries others, each from an address of its own. */
async function failWith(name: string, tries: number): Promise<string> {
  service.inbox.clear();
  expect((await ask(name)).status).toBe(200);
  await deliverPins();
  const pin = newestPin(service.inbox, name);
  for (let offset = 1; offset <= tries; offset += 1) await tryPin(name, otherPin(pin, offset));
  return pin;
}

test("D10: after 20 tries in a day, over all pins of a login, its pins have twelve digits; from the next day on six again", async () => {
  const name = "many-98@example.com";
  const day = Math.ceil(start / (24 * hour)) * 24 * hour;
  for (const [minutes, tries] of [
    [0, 7],
    [12, 7],
    [24, 6],
  ] as const) {
    vi.setSystemTime(day + minutes * minute);
    expect(await failWith(name, tries)).toMatch(/^[0-9]{6}$/);
  }
  for (const last of [24 * minute + 1, 24 * hour - 1]) {
    vi.setSystemTime(day + last);
    expect(await failWith(name, 5)).toMatch(/^[0-9]{12}$/);
  }
  // The pin of the last millisecond lives on; the next one is of the new day.
  vi.setSystemTime(day + 24 * hour + 12 * minute);
  expect(await failWith(name, 0)).toMatch(/^[0-9]{6}$/);
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
  const before = { SMS_CEILINGS: process.env.SMS_CEILINGS };
  Object.assign(process.env, { SMS_CEILINGS: '{"perDay":3}' });
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
