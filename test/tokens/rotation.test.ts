import { expect, test } from "vitest";
import { keysToRetire, nextKeySignsFrom } from "../../functions/workers/rotate-signing-key.ts";

const first = new Date("2026-01-01T00:00:00.000Z");
const due = new Date("2026-01-31T00:00:00.000Z");

const [one, two] = [
  { kid: "one", signsFrom: first },
  { kid: "two", signsFrom: new Date("2026-01-31T00:10:00.000Z") },
];
const open = (kid: string, publishedAt = first) => ({ kid, publishedAt });

test("D4, D6: a key stays published for a token's 15 minutes and a cache's 5 after its successor signs", () => {
  const validTo = new Date("2026-01-31T00:30:00.000Z");
  expect(keysToRetire([open("one"), open("two")], [one, two], due)).toEqual([{ kid: "one", validTo }]);
  expect(keysToRetire([open("one")], [one], due)).toEqual([]);
});

test("D6: a key that never signed, as its run broke off, ends once it is an hour old", () => {
  const anHourLater = new Date(first.getTime() + 3_600_000);
  expect(keysToRetire([open("lost")], [one], new Date(anHourLater.getTime() - 1))).toEqual([]);
  const validTo = new Date(anHourLater.getTime() + 20 * 60_000);
  expect(keysToRetire([open("lost")], [one], anHourLater)).toEqual([{ kid: "lost", validTo }]);
});

test("D6: the next key is due 30 days after the last one signs, to the millisecond, and signs ten minutes later; the first signs at once", () => {
  expect(nextKeySignsFrom(undefined, first)).toEqual(first);
  expect(nextKeySignsFrom(first, new Date(due.getTime() - 1))).toBeUndefined();
  expect(nextKeySignsFrom(first, due)).toEqual(two.signsFrom);
});
