import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { saveDeviceToken } from "../../../shared/notifications/devices.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { askPin, type Client, register } from "../../support/requests/accounts.ts";
import type { TestAnswer } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { deliverPins } from "../../support/requests/pins.ts";
import { useService } from "../../support/service/service.ts";

// The flood of flood.test.ts as requests, with the table, the queue and the worker.
const service = useService();
const users = Array.from({ length: 100 }, (_, at) => ({
  id: 7_000 + at,
  number: `+4474002${String(at).padStart(5, "0")}`,
}));
/** Of 50 requests and more, on a busy machine. */
const timeout = 120_000;
const [one, other, third] = ["198.51.100.1", "198.51.100.2", "198.51.100.3"];

// At midnight the next day's messages would begin.
beforeAll(() => void vi.useFakeTimers({ now: new Date().setUTCHours(12, 0, 0, 0), toFake: ["Date"] }));
afterAll(() => void vi.useRealTimers());
beforeAll(() => store(users.map(({ id, number }) => userLine(id, { phone_number: number }))));
beforeEach(async () => {
  service.inbox.clear();
  await forgetLimits(service);
  vi.stubEnv("SMS_CEILINGS", '{"perDay":40}');
});
afterEach(() => void vi.unstubAllEnvs());

/** Numbers of users that no test request has named yet, and of nobody. */
function numbers(from: number, count: number): string[] {
  return users.slice(from, from + count).map(({ number }) => number);
}

/** Asks for many at once; gives how many messages went out, and what the answers show but for login, id and moment. */
async function flood(logins: readonly string[], client: Client, send = askPin): Promise<[number, unknown[]]> {
  const before = service.inbox.entries().length;
  const answers = await Promise.all(logins.map((login) => send(login, client)));
  await deliverPins();
  return [service.inbox.entries().length - before, [...new Set(answers.map(shapeOf))]];
}

function shapeOf({ status, body }: TestAnswer): string {
  const { id, phone_number, pin_valid_to, ...shown } = body.user;
  return JSON.stringify([status, typeof id, typeof phone_number, typeof pin_valid_to, shown]);
}

async function proofOf(at: number): Promise<string> {
  const id = users[at]?.id ?? 0;
  await saveDeviceToken(id, { token: `device-of-${id}`, platform: "ios", pushService: "apns" }, id);
  return `device-of-${id}`;
}

test("D11, D12: one address, in both forms, has 60 % and is answered alike; another's first message and each proof is sent", {
  timeout,
}, async () => {
  const [sent, shapes] = await flood(numbers(0, 26), { from: one });
  expect(sent).toBe(24);
  expect(await flood(numbers(30, 2), { from: `::ffff:${one}` })).toEqual([0, shapes]);
  expect(await flood(["+447400300000"], { from: one })).toEqual([0, shapes]);
  expect(await flood(numbers(40, 1), { from: other })).toEqual([1, shapes]);
  expect(await flood(numbers(41, 1), { from: one, proof: await proofOf(41) })).toEqual([1, shapes]);
  // A stranger's messages for the same logins were held back a moment ago: they are in nobody's way.
  expect(await flood(numbers(30, 1), { from: one, proof: await proofOf(30) })).toEqual([1, shapes]);
  expect(await flood(numbers(31, 1), { from: other })).toEqual([1, shapes]);
  expect(shapes).toHaveLength(1);
});

test("D11: addresses one after the other leave the last tenth to proofs", { timeout }, async () => {
  const sent = [];
  for (const [turn, from] of [one, other, third].entries())
    sent.push((await flood(numbers(turn * 26, 26), { from }))[0]);
  expect(sent).toEqual([24, 12, 0]);
  expect((await flood(numbers(99, 1), { from: "203.0.113.7" }))[0]).toBe(0);
  expect((await flood(numbers(99, 1), { from: "203.0.113.7", proof: await proofOf(99) }))[0]).toBe(1);
});

test("D11: all addresses of a /48 are one client, and those of another /48 a second", { timeout }, async () => {
  const of = (net: string) => (login: unknown) =>
    askPin(login, { from: `2001:db8:${net}:${Number(String(login).slice(-5)).toString(16)}::1` });
  expect((await flood(numbers(0, 26), {}, of("1")))[0]).toBe(24);
  expect((await flood(numbers(30, 14), {}, of("2")))[0]).toBe(12);
});

test("D11, D16: one address has half of the registrations, all have a fifth, and users still have their pins", {
  timeout,
}, async () => {
  vi.stubEnv("REGISTRATION", "open");
  const fresh = (turn: number) => Array.from({ length: 5 }, (_, at) => `+4474004${turn}000${at}`);
  const send = (login: unknown, client?: Client) => register(login, {}, client);
  const counts = [];
  for (const [turn, from] of [one, other, third].entries()) counts.push((await flood(fresh(turn), { from }, send))[0]);
  expect(counts).toEqual([4, 4, 0]);
  expect((await flood(numbers(0, 3), { from: one }))[0]).toBe(3);
});
