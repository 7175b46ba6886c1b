import { expect, test } from "vitest";
import {
  afterSuccess,
  type ClientGuesses,
  clientAdmittedAt,
  noClientGuesses,
  triesOfPin,
  withClientGuess,
} from "../../../shared/domain/guessing/client-guesses.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse("2026-05-01T00:00:00.000Z");

function failedAt(logins: readonly string[], moments: (index: number) => number = () => start): ClientGuesses {
  return logins.reduce((client, on, index) => withClientGuess(client, { at: moments(index), on }), noClientGuesses);
}

const logins = (count: number) => Array.from({ length: count }, (_, index) => `login-${index}`);

test("D10: a client fails at 30 distinct logins in 5 minutes, to the millisecond; those it has failed at stay open", () => {
  const client = failedAt(logins(30));
  expect(clientAdmittedAt(failedAt(logins(29)), "next", start)).toBe(start);
  expect(clientAdmittedAt(client, "next", start)).toBe(start + 5 * minute);
  expect(clientAdmittedAt(client, "next", start + 5 * minute - 1)).toBe(start + 5 * minute);
  expect(clientAdmittedAt(client, "next", start + 5 * minute)).toBe(start + 5 * minute);
  expect(clientAdmittedAt(client, "login-7", start)).toBe(start);
});

test("D10: many failures at one login count as one login, by its latest", () => {
  const client = failedAt([...logins(30), ...Array.from({ length: 60 }, () => "login-0")], (index) => start + index);
  expect(clientAdmittedAt(client, "login-0", start + 90)).toBe(start + 90);
  // The 29 others fall out of the window one by one, the first of them 5 minutes after it failed.
  expect(clientAdmittedAt(client, "next", start + 90)).toBe(start + 1 + 5 * minute);
});

test("D10: a client fails 100 times in 5 minutes, whatever at, to the millisecond", () => {
  const client = failedAt(Array.from({ length: 100 }, () => "one"));
  expect(clientAdmittedAt(failedAt(Array.from({ length: 99 }, () => "one")), "one", start)).toBe(start);
  expect(clientAdmittedAt(client, "one", start)).toBe(start + 5 * minute);
  expect(clientAdmittedAt(client, "one", start + 5 * minute)).toBe(start + 5 * minute);
});

test("D10: a client fails 10,000 times in 24 whole hours, then waits until the hour of the first is over", () => {
  const first = Math.floor(start / hour);
  const hours = [
    { hour: first, failed: 400 },
    { hour: first + 1, failed: 9_599 },
  ];
  const now = start + 2 * hour;
  expect(clientAdmittedAt({ guesses: [], hours }, "one", now)).toBe(now);
  const full = { guesses: [], hours: [...hours, { hour: first + 2, failed: 1 }] };
  expect(clientAdmittedAt(full, "one", now)).toBe(start + day);
  expect(clientAdmittedAt(full, "one", start + day)).toBe(start + day);
  const beyond = { guesses: [], hours: [...hours, { hour: first + 2, failed: 401 }] };
  expect(clientAdmittedAt(beyond, "one", now)).toBe(start + day + hour);
});

test("D10: no item grows: guesses of the last 5 minutes and hours of the last day are kept", () => {
  const client = failedAt(logins(2_000), (index) => start + index * minute);
  expect(client.guesses).toHaveLength(5);
  expect(client.hours).toHaveLength(24);
  expect(client.hours.map(({ failed }) => failed)).toEqual([...Array.from({ length: 23 }, () => 60), 20]);
});

test("D10: a success forgets the failures at its login and the passwords at one other, and gives the day's capacity back", () => {
  const client = failedAt(["other", "own", "third", "other", "own"], (index) => start + index);
  const after = afterSuccess(client, "own");
  expect(after.guesses.map(({ on }) => on)).toEqual(["third"]);
  expect(after.hours).toEqual([{ hour: Math.floor(start / hour), failed: 1 }]);
});

test("D10: tries of other logins' pins stay after a success: they are what limits them", () => {
  const tried = withClientGuess(failedAt(["other"]), { at: start, on: "other", pin: start - minute });
  const after = afterSuccess(withClientGuess(tried, { at: start, on: "own", pin: start }), "own");
  expect(after.guesses).toEqual([{ at: start, on: "other", pin: start - minute }]);
  expect(triesOfPin(after, "other", start - minute)).toBe(1);
});

test("D10: a success gives back no more than was failed in its hour, and nothing to a client without a failure", () => {
  const client = failedAt(["own", "own", "own"], (index) => start + hour - 1 + Math.sign(index));
  expect(afterSuccess(client, "own").hours.map(({ failed }) => failed)).toEqual([1, 0]);
  expect(afterSuccess(noClientGuesses, "own")).toEqual(noClientGuesses);
});

test("D10: tries count for the pin that was asked for at that moment, of that login", () => {
  const guesses = [
    { at: start, on: "one", pin: 1 },
    { at: start, on: "one", pin: 2 },
    { at: start, on: "two", pin: 1 },
    { at: start, on: "one" },
  ];
  const client = guesses.reduce(withClientGuess, noClientGuesses);
  expect([triesOfPin(client, "one", 1), triesOfPin(client, "one", 3), triesOfPin(client, "three", 1)]).toEqual([
    1, 0, 0,
  ]);
});
