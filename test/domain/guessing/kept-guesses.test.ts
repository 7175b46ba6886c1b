import { expect, test } from "vitest";
import { type ClientGuess, noClientGuesses, withClientGuess } from "../../../shared/domain/guessing/client-guesses.ts";

const minute = 60_000;
const start = Date.parse("2026-05-01T00:00:00.000Z");

function keptAfter(guesses: readonly ClientGuess[]): readonly ClientGuess[] {
  return guesses.reduce(withClientGuess, noClientGuesses).guesses;
}

test("D10: a client's item keeps passwords for 5 minutes and tries of pins for 15, to the millisecond", () => {
  const guesses = [
    { at: start, on: "one" },
    { at: start, on: "one", pin: start },
  ];
  const momentsAfter = (later: number) => keptAfter([...guesses, { at: start + later, on: "two" }]).map(({ on }) => on);
  expect(momentsAfter(5 * minute - 1)).toEqual(["one", "one", "two"]);
  expect(momentsAfter(5 * minute)).toEqual(["one", "two"]);
  expect(momentsAfter(15 * minute - 1)).toEqual(["one", "two"]);
  expect(momentsAfter(15 * minute)).toEqual(["two"]);
});

test("D10: however many clients that logins know share an address, its item stays small, and keeps the newest", () => {
  const guesses = Array.from({ length: 1_000 }, (_, index) => ({ at: start + index, on: "a".repeat(16), pin: start }));
  const kept = keptAfter(guesses);
  expect(kept).toHaveLength(400);
  expect(kept.at(-1)?.at).toBe(start + 999);
});
