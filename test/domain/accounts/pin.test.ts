import { expect, test } from "vitest";
import { hashPin, makePin, pinValidTo, unusablePinHash, verifyPin } from "../../../shared/domain/accounts/pin.ts";
import { hmacKeyOf } from "../../support/tokens/hmac-key.ts";

const key = hmacKeyOf("key");

const requestedAt = new Date("2026-05-01T09:00:00.000Z");
const source = { login: "ann@example.com", requestId: "one", requestedAt, digits: 6 };

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

test("D10: a pin of ten digits keeps its leading zeros", () => {
  for (let index = 0; index < 1_000; index += 1)
    expect(makePin({ ...source, requestId: String(index), digits: 10 }, key)).toMatch(/^[0-9]{10}$/);
});

test("D12: no pin fits the hash that a pin for an unknown login is held against", () => {
  for (const pin of ["000000", "0000000000"]) expect(verifyPin(pin, 0, unusablePinHash, key)).toBe(false);
});
