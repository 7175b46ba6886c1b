import { expect, test } from "vitest";
import {
  afterRecovery,
  afterSignIn,
  type GuessingClient,
  isKnownTo,
  type LoginGuesses,
  noLoginGuesses,
  passwordAdmittedAt,
  withPassword,
} from "../../../shared/domain/guessing/login-guesses.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse("2026-05-01T00:00:00.000Z");
const stranger: GuessingClient = { by: "stranger", isKnown: false };
const owner: GuessingClient = { by: "owner", isKnown: true };

/** So many wrong passwords from the start on, every so often, each counted whether or not it was admitted. */
function failed(count: number, every: number, clientOf: (index: number) => GuessingClient): LoginGuesses {
  let guesses = noLoginGuesses;
  for (let index = 0; index < count; index += 1) {
    guesses = withPassword(guesses, clientOf(index), start + index * every);
  }
  return guesses;
}

const another = (index: number) => ({ by: `stranger-${index}`, isKnown: false });

test.each([
  { most: 5, within: 15 * minute, limit: "5 in 15 minutes" },
  { most: 15, within: hour, limit: "15 in an hour" },
  { most: 30, within: 6 * hour, limit: "30 in 6 hours" },
  { most: 45, within: day, limit: "45 in a day" },
])("D15: wrong passwords of one client at a login: $limit, to the millisecond", ({ most, within }) => {
  const every = within / most;
  const guesses = failed(most, every, () => stranger);
  const last = start + (most - 1) * every;
  expect(
    passwordAdmittedAt(
      failed(most - 1, every, () => stranger),
      stranger,
      last,
    ),
  ).toBe(last);
  expect(passwordAdmittedAt(guesses, stranger, last)).toBe(start + within);
  expect(passwordAdmittedAt(guesses, stranger, start + within - 1)).toBe(start + within);
  expect(passwordAdmittedAt(guesses, stranger, start + within)).toBe(start + within);
  expect(passwordAdmittedAt(guesses, { by: "another", isKnown: false }, last)).toBe(last);
});

test.each([
  { most: 10, within: 15 * minute, limit: "10 in 15 minutes" },
  { most: 20, within: hour, limit: "20 in an hour" },
  { most: 40, within: 6 * hour, limit: "40 in 6 hours" },
  { most: 60, within: day, limit: "60 in a day" },
])("D15: wrong passwords at a login over all clients: $limit, to the millisecond", ({ most, within }) => {
  const every = within / most;
  const guesses = failed(most, every, another);
  const last = start + (most - 1) * every;
  expect(passwordAdmittedAt(failed(most - 1, every, another), stranger, last)).toBe(last);
  expect(passwordAdmittedAt(guesses, stranger, start + within - 1)).toBe(start + within);
  expect(passwordAdmittedAt(guesses, stranger, start + within)).toBe(start + within);
  expect(passwordAdmittedAt(guesses, owner, last)).toBe(last);
});

test("D10, D15: known clients have 20 wrong passwords a day between them, then they are limited as strangers are", () => {
  const known = (index: number) => ({ by: `known-${index}`, isKnown: true });
  const guesses = failed(20, minute, known);
  expect(guesses).toMatchObject({ passwords: [], known_passwords: { length: 20 } });
  const spent = start + 20 * minute;
  const next = withPassword(guesses, owner, spent);
  expect(next).toMatchObject({ passwords: [{ at: spent, by: "owner" }], known_passwords: { length: 20 } });
  let full = next;
  for (let index = 0; index < 4; index += 1) full = withPassword(full, owner, spent);
  expect(passwordAdmittedAt(full, owner, spent)).toBe(spent + 15 * minute);
  expect(withPassword(guesses, owner, start + day).known_passwords).toHaveLength(20);
  expect(withPassword(guesses, owner, start + day - 1).passwords).toHaveLength(1);
});

test("D15: no item grows: what no limit looks at any more is dropped", () => {
  const guesses = failed(1_000, hour, another);
  expect(guesses.passwords).toHaveLength(24);
  expect(failed(1_000, hour, () => owner).known_passwords.length + guesses.passwords.length).toBeLessThanOrEqual(48);
});

test("D10, D15: a sign-in forgets the failures of its client and nobody else's", () => {
  const both = (index: number) => (index % 2 ? stranger : another(index));
  const guesses = { ...failed(6, minute, both), known_passwords: [start], pins: [start], pin_streak: 99 };
  const after = afterSignIn(guesses, stranger, start + hour);
  expect(after.passwords.map(({ by }) => by)).toEqual(["stranger-0", "stranger-2", "stranger-4"]);
  expect(after).toMatchObject({ known_passwords: [start], pins: [start], pin_streak: 0 });
  expect(afterSignIn(guesses, owner, start + hour)).toMatchObject({
    known_passwords: [],
    passwords: guesses.passwords,
  });
});

test("D10, D14, D15: a completed recovery forgives everything, and makes its client known for an hour to the millisecond", () => {
  const after = afterRecovery(stranger, start);
  expect(after).toEqual({ ...noLoginGuesses, recovered_by: "stranger", recovered_to: start + hour });
  expect(isKnownTo(after, stranger, start + hour - 1)).toBe(true);
  expect(isKnownTo(after, stranger, start + hour)).toBe(false);
  expect(isKnownTo(after, another(1), start)).toBe(false);
  expect(isKnownTo(after, owner, start + day)).toBe(true);
  expect(isKnownTo(noLoginGuesses, { by: "", isKnown: false }, start)).toBe(false);
});
