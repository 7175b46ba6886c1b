import { describe, expect, test } from "vitest";
import { kindNames, kindOf } from "./kinds.ts";
import { committedDigests, digestsOf, frozenReleases, readFrozen } from "./samples.ts";

describe.each(frozenReleases())("D38: the samples of release %s", (release) => {
  test("are as they were frozen: stored items are never edited, they get a new version", () => {
    expect(digestsOf(release)).toEqual(committedDigests(release));
  });

  test("hold every kind of item that there was", () => {
    const found = new Set(readFrozen(release).items.map(kindOf));
    expect(kindNames.filter((kind) => !found.has(kind))).toEqual([]);
  });

  test("hold messages of every queue", () => {
    const waiting = Object.entries(readFrozen(release).messages).map(([queue, messages]) => [queue, messages.length]);
    expect(waiting.filter(([, count]) => count === 0)).toEqual([]);
  });
});
