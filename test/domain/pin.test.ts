import { expect, test } from "vitest";
import { hashPin, isLockedOut, makePin, mayBeTried, pinValidTo, verifyPin } from "../../shared/domain/accounts/pin.ts";
import { hmacKeyOf } from "../support/tokens/hmac-key.ts";

const key = hmacKeyOf("key");

const source = { login: "ann@example.com", requestId: "one", requestedAt: new Date("2026-05-01T09:00:00.000Z") };

test("D9, D12: a request has one pin, and each other request, login, moment and key another", () => {
  const pin = makePin(source, key);
  expect(makePin({ ...source }, key)).toBe(pin);
  const others = [
    makePin({ ...source, login: "eve@example.com" }, key),
    makePin({ ...source, requestId: "two" }, key),
    makePin({ ...source, requestedAt: new Date("2026-05-01T09:00:00.001Z") }, key),
    makePin(source, hmacKeyOf("other")),
  ];
  expect(new Set([pin, ...others]).size).toBe(5);
});

test("D9: pins are six digits, leading zeros kept, every tenth starting with each digit", () => {
  const firsts = new Map<string, number>();
  for (let index = 0; index < 20_000; index += 1) {
    const pin = makePin({ ...source, requestId: String(index) }, key);
    expect(pin).toMatch(/^[0-9]{6}$/);
    firsts.set(pin.slice(0, 1), (firsts.get(pin.slice(0, 1)) ?? 0) + 1);
  }
  expect(firsts.size).toBe(10);
  for (const count of firsts.values()) expect(count).toBeGreaterThan(1_700);
});

test("D9: a pin counts for 10 minutes from its request", () => {
  expect(pinValidTo(new Date("2026-05-01T09:00:00.000Z"))).toEqual(new Date("2026-05-01T09:10:00.000Z"));
});

test("D9: a hash contains neither the pin nor the same hash twice, and fits only its pin, user and key", () => {
  const hash = hashPin("012345", 7, key);
  expect(JSON.stringify(hash)).not.toContain("012345");
  expect(hashPin("012345", 7, key).hmac).not.toBe(hash.hmac);
  expect(verifyPin("012345", 7, hash, key)).toBe(true);
  expect(verifyPin("012346", 7, hash, key)).toBe(false);
  expect(verifyPin("012345", 8, hash, key)).toBe(false);
  expect(verifyPin("012345", 7, hash, hmacKeyOf("other"))).toBe(false);
  expect(verifyPin("012345", 7, { ...hash, hmac: "" }, key)).toBe(false);
});

const now = new Date("2026-05-01T12:00:00.000Z");
const minute = 60_000;
const standing = {
  validTo: new Date(now.getTime() + minute),
  isSpent: false,
  tries: 0,
  failures: [] as readonly number[],
  streak: 0,
};

function failuresAgo(...minutes: number[]): number[] {
  return minutes.map((ago) => now.getTime() - ago * minute);
}

test("D9: a pin may be tried until 9:59.999 after its request, and not at 10:00.000", () => {
  expect(mayBeTried({ ...standing, validTo: new Date(now.getTime() + 1) }, now)).toBe(true);
  expect(mayBeTried({ ...standing, validTo: now }, now)).toBe(false);
});

test("D10: a pin may be tried five times, and not once it is spent", () => {
  expect(mayBeTried({ ...standing, tries: 4 }, now)).toBe(true);
  expect(mayBeTried({ ...standing, tries: 5 }, now)).toBe(false);
  expect(mayBeTried({ ...standing, isSpent: true }, now)).toBe(false);
});

test("D10: after 10 failures in an hour no pin of the login may be tried until the hour is over, to the millisecond", () => {
  const failures = failuresAgo(...Array.from({ length: 10 }, (_, index) => 59 - index));
  expect(mayBeTried({ ...standing, failures: failures.slice(1) }, now)).toBe(true);
  expect(mayBeTried({ ...standing, failures }, now)).toBe(false);
  const oneOut = [now.getTime() - 60 * minute, ...failures.slice(1)];
  expect(mayBeTried({ ...standing, failures: oneOut }, now)).toBe(true);
  expect(mayBeTried({ ...standing, failures: [now.getTime() - 60 * minute + 1, ...failures.slice(1)] }, now)).toBe(
    false,
  );
});

test("D10: after 20 failures in a day no pin of the login may be tried", () => {
  const failures = failuresAgo(...Array.from({ length: 20 }, (_, index) => 23 * 60 - index * 60));
  expect(mayBeTried({ ...standing, failures }, now)).toBe(false);
  expect(mayBeTried({ ...standing, failures: failures.slice(1) }, now)).toBe(true);
});

test("D10: 100 failures in a row close the pin flow, whenever they were", () => {
  expect(mayBeTried({ ...standing, streak: 99 }, now)).toBe(true);
  expect(mayBeTried({ ...standing, streak: 100 }, now)).toBe(false);
  expect([isLockedOut(99), isLockedOut(100)]).toEqual([false, true]);
});
