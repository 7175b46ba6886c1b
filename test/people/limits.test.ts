import { expect, test } from "vitest";
import { windowOf } from "../../shared/people/limits.ts";
import { pinRules } from "../../shared/people/pins.ts";
import { rules } from "../support/requests/limits.ts";

test("short pins of a login and of all logins stay below the promised chance of a takeover in a day", () => {
  expect(pinRules.triesADay / 1e6).toBeLessThanOrEqual(2e-5);
  expect(rules.wrongPins.most / 1e6).toBeLessThanOrEqual(1e-2);
});

test("no two limits count under one name", () => {
  expect(Object.values(rules).map(({ name }) => name)).toEqual(Object.keys(rules));
});

test("of 500 people behind one address each may mistype a pin and a password", () => {
  expect(Math.min(rules.failures.most, rules.wrongPins.most)).toBeGreaterThan(500);
});

test.each([
  ["hour", "2026-05-01T12:00:00.000Z", "2026-05-01T13:00:00.000Z"],
  ["day", "2026-05-01T00:00:00.000Z", "2026-05-02T00:00:00.000Z"],
  ["none", "ALL", "2026-05-02T12:59:59.999Z"],
] as const)("a window of one %s begins by the clock", (window, start, endsAt) => {
  const now = new Date("2026-05-01T12:59:59.999Z");
  expect(windowOf({ window }, now)).toEqual({ start, endsAt: new Date(endsAt) });
});
