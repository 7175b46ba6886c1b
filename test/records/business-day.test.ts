import { expect, test } from "vitest";
import { calendarDateIn, msUntilSettled } from "../../shared/records/business-day.ts";

test.each([
  ["UTC", "2026-05-10T23:59:59.999Z", "2026-05-10"],
  ["UTC", "2026-05-11T00:00:00.000Z", "2026-05-11"],
  ["Europe/London", "2026-01-10T23:59:59.999Z", "2026-01-10"],
  ["Europe/London", "2026-07-10T22:59:59.999Z", "2026-07-10"],
  ["Europe/London", "2026-07-10T23:00:00.000Z", "2026-07-11"],
  ["America/New_York", "2026-01-11T04:59:59.999Z", "2026-01-10"],
  ["America/New_York", "2026-01-11T05:00:00.000Z", "2026-01-11"],
  ["Asia/Kolkata", "2026-05-10T18:29:59.999Z", "2026-05-10"],
  ["Asia/Kolkata", "2026-05-10T18:30:00.000Z", "2026-05-11"],
  ["Pacific/Kiritimati", "2026-05-10T10:00:00.000Z", "2026-05-11"],
])("D20: in %s the day changes at midnight there: %s is on %s", (zone, moment, date) => {
  expect(calendarDateIn(zone, new Date(moment))).toBe(date);
});

test.each([
  ["spring, a day of 23 hours", "2026-03-29T00:59:59.999Z", "2026-03-29"],
  ["spring, once the clocks have moved", "2026-03-29T22:59:59.999Z", "2026-03-29"],
  ["spring, the next midnight", "2026-03-29T23:00:00.000Z", "2026-03-30"],
  ["autumn, a day of 25 hours", "2026-10-24T23:00:00.000Z", "2026-10-25"],
  ["autumn, the hour that comes twice", "2026-10-25T01:30:00.000Z", "2026-10-25"],
  ["autumn, the next midnight", "2026-10-26T00:00:00.000Z", "2026-10-26"],
])("D20: London's clocks change in %s: %s is on %s", (_, moment, date) => {
  expect(calendarDateIn("Europe/London", new Date(moment))).toBe(date);
});

test.each([
  ["2026-03-09T04:59:59.999Z", "2026-03-09"],
  ["2026-03-08T04:59:59.999Z", "2026-03-07"],
])("D20: New York's midnight moves an hour with its clocks: %s is on %s", (moment, date) => {
  expect(calendarDateIn("America/New_York", new Date(moment))).toBe(date);
});

test("D20: dates keep the form that due dates have, whatever the year", () => {
  expect(calendarDateIn("UTC", new Date("2030-01-02T00:00:00.000Z"))).toBe("2030-01-02");
  expect(calendarDateIn("Europe/London", new Date("0999-01-02T12:00:00.000Z"))).toMatch(/^\d{3,4}-01-0\d$/);
});

test.each([
  ["Europe/London", "2026-07-10T22:59:49.999Z", 0],
  ["Europe/London", "2026-07-10T22:59:50.000Z", 20_000],
  ["Europe/London", "2026-07-10T22:59:59.999Z", 10_001],
  ["Europe/London", "2026-07-10T23:00:00.000Z", 10_000],
  ["Europe/London", "2026-07-10T23:00:09.999Z", 1],
  ["Europe/London", "2026-07-10T23:00:10.000Z", 0],
  ["Europe/London", "2026-07-10T00:00:00.000Z", 0],
  ["Asia/Kathmandu", "2026-05-10T18:15:04.000Z", 6_000],
])("D20: in %s at %s every clock shows the same day after %i ms", (zone, moment, ms) => {
  expect(msUntilSettled(zone, new Date(moment))).toBe(ms);
});

test.each(["Europe/Londn", "", "../etc"])("an unknown time zone is an error: %j", (zone) => {
  expect(() => calendarDateIn(zone, new Date())).toThrow(RangeError);
});
