import { expect, test } from "vitest";
import { hashOfPin, hashPin, makePin, shownPin, unusablePinHash, verifyPin } from "../../shared/people/pins.ts";
import { hmacKeyOf } from "../support/tokens/hmac-key.ts";

const key = hmacKeyOf("key");

const source = { login: "ann@example.com", request_id: "one", asked_at: "2026-05-01T09:00:00.000Z", digits: 6 };

test("D9, D12: a request has one pin, and each other request, login, moment and key another", () => {
  const pin = makePin(source, key);
  expect(makePin({ ...source }, key)).toBe(pin);
  const others = [
    makePin({ ...source, login: "eve@example.com" }, key),
    makePin({ ...source, request_id: "two" }, key),
    makePin({ ...source, asked_at: "2026-05-01T09:00:00.001Z" }, key),
    makePin(source, hmacKeyOf("other")),
  ];
  expect(new Set([pin, ...others]).size).toBe(5);
});

test("D9: pins are six digits, leading zeros kept, every tenth starting with each digit", () => {
  const pins = Array.from({ length: 4_000 }, (_, index) => makePin({ ...source, request_id: String(index) }, key));
  expect(pins.filter((pin) => !/^[0-9]{6}$/.test(pin))).toEqual([]);
  const firsts = Map.groupBy(pins, (pin) => pin.slice(0, 1));
  expect(firsts.size).toBe(10);
  for (const { length } of firsts.values()) expect(length).toBeGreaterThan(300);
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

test("D10: a pin of twelve digits keeps its leading zeros", () => {
  for (let index = 0; index < 1_000; index += 1)
    expect(makePin({ ...source, request_id: String(index), digits: 12 }, key)).toMatch(/^[0-9]{12}$/);
});

test("D12: no pin fits the hash that a pin for an unknown login is held against", () => {
  for (const pin of ["000000", "000000000000"]) expect(verifyPin(pin, 0, unusablePinHash, key)).toBe(false);
});

test("D9: a long pin is shown in groups of four, a short one as it is", () => {
  expect([shownPin("012345"), shownPin("012345678901")]).toEqual(["012345", "0123 4567 8901"]);
});

test("D13: the same pin of the same user keeps its stored hash, any other gets a new one", () => {
  const stored = hashPin("012345", 7, key);
  expect(hashOfPin(stored, "012345", 7, key)).toEqual(stored);
  for (const hash of [
    hashOfPin(stored, "012346", 7, key),
    hashOfPin(stored, "012345", 8, key),
    hashOfPin(unusablePinHash, "012345", 7, key),
  ])
    expect(hash.salt).not.toBe(stored.salt);
});
