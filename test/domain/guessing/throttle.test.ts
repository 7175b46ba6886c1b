import { describe, expect, test } from "vitest";
import {
  admittedAt,
  type Limit,
  longestWindowMs,
  retryAfterSeconds,
  withAttempt,
} from "../../../shared/domain/guessing/throttle.ts";
import { fc } from "../../support/service/properties.ts";

const minute = 60_000;
const start = Date.parse("2026-05-01T09:00:00.000Z");
const twoInTen: Limit = { most: 2, withinMinutes: 10 };

describe("D10, D11: an attempt", () => {
  test("is admitted at once while a limit has capacity", () => {
    expect(admittedAt([], [twoInTen], start)).toBe(start);
    expect(admittedAt([start - minute], [twoInTen], start)).toBe(start);
  });

  test("over a limit is admitted exactly when the oldest that fills the window falls out of it", () => {
    const attempts = [start, start + 3 * minute];
    const opens = start + 10 * minute;
    expect(admittedAt(attempts, [twoInTen], opens - 1)).toBe(opens);
    expect(admittedAt(attempts, [twoInTen], opens)).toBe(opens);
    expect(admittedAt(attempts, [twoInTen], opens + 1)).toBe(opens + 1);
  });

  test("is admitted when every limit has capacity, the longest wait counting", () => {
    const limits = [
      { most: 1, withinMinutes: 1 },
      { most: 2, withinMinutes: 60 },
    ];
    expect(admittedAt([start], limits, start)).toBe(start + minute);
    expect(admittedAt([start, start + minute], limits, start + 2 * minute)).toBe(start + 60 * minute);
  });

  test("that is kept pushes out those that no limit looks at any more, and no others", () => {
    const kept = withAttempt([start, start + 1], [twoInTen, { most: 1, withinMinutes: 1 }], start + 10 * minute);
    expect(kept).toEqual([start + 1, start + 10 * minute]);
    expect(longestWindowMs([{ most: 1, withinMinutes: 1 }, twoInTen])).toBe(10 * minute);
  });
});

test("D11: whatever is tried and whenever, no window ever holds more than its limit, and what is refused waits no longer than it must", () => {
  const limit = fc.record({ most: fc.integer({ min: 1, max: 5 }), withinMinutes: fc.integer({ min: 1, max: 30 }) });
  const limits = fc.array(limit, { minLength: 1, maxLength: 3 });
  const pauses = fc.array(fc.integer({ min: 0, max: 5 * minute }), { maxLength: 60 });
  fc.assert(
    fc.property(limits, pauses, (rules, waits) => {
      const admitted: number[] = [];
      let stored: number[] = [];
      let now = start;
      for (const wait of waits) {
        now += wait;
        const opens = admittedAt(stored, rules, now);
        if (opens > now) {
          expect(isFull(admitted, rules, opens - 1)).toBe(true);
          continue;
        }
        expect(isFull(admitted, rules, now)).toBe(false);
        admitted.push(now);
        stored = withAttempt(stored, rules, now);
      }
    }),
  );
});

test("D11: the wait is given in whole minutes, rounded up", () => {
  expect(retryAfterSeconds(start + 1, start)).toBe(60);
  expect(retryAfterSeconds(start + minute, start)).toBe(60);
  expect(retryAfterSeconds(start + minute + 1, start)).toBe(120);
  expect(retryAfterSeconds(start + 15 * minute, start)).toBe(900);
});

/** The limits as one would write them down: so many within the window that ends now. */
function isFull(attempts: readonly number[], limits: readonly Limit[], now: number): boolean {
  return limits.some(
    ({ most, withinMinutes }) => attempts.filter((at) => at > now - withinMinutes * minute).length >= most,
  );
}
