import { expect, test } from "vitest";
import { makePin, pinFits, pinValidTo, sealPin } from "../../shared/domain/pin.ts";

test("D9: pins are six digits, leading zeros kept, every tenth starting with each digit", () => {
  const firsts = new Map<string, number>();
  for (let index = 0; index < 20_000; index += 1) {
    const pin = makePin();
    expect(pin).toMatch(/^[0-9]{6}$/);
    firsts.set(pin.slice(0, 1), (firsts.get(pin.slice(0, 1)) ?? 0) + 1);
  }
  expect(firsts.size).toBe(10);
  for (const count of firsts.values()) expect(count).toBeGreaterThan(1_700);
});

test("D9: a pin counts for 10 minutes from its request", () => {
  expect(pinValidTo(new Date("2026-05-01T09:00:00.000Z"))).toEqual(new Date("2026-05-01T09:10:00.000Z"));
});

test("D9: a seal holds neither the pin nor the same hash twice, and fits only its pin, user and key", () => {
  const seal = sealPin("012345", 7, "key");
  expect(JSON.stringify(seal)).not.toContain("012345");
  expect(sealPin("012345", 7, "key").hmac).not.toBe(seal.hmac);
  expect(pinFits("012345", 7, seal, "key")).toBe(true);
  expect(pinFits("012346", 7, seal, "key")).toBe(false);
  expect(pinFits("012345", 8, seal, "key")).toBe(false);
  expect(pinFits("012345", 7, seal, "other")).toBe(false);
  expect(pinFits("012345", 7, { ...seal, hmac: "" }, "key")).toBe(false);
});
