import { describe, expect, test } from "vitest";
import { afterFailure, type WebhookHealth } from "../../../shared/domain/webhooks/health.ts";
import { isWorthTrying, pauseAfter, triedForMs } from "../../../shared/domain/webhooks/pauses.ts";

const start = new Date("2026-06-01T08:00:00.000Z");
const later = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
const day = 24 * 60;

/** The stored state after failures at some moments; `gone` are those of a 410. */
function failAt(minutes: readonly number[], gone: readonly number[] = []): WebhookHealth | undefined {
  return minutes.reduce<WebhookHealth | undefined>(
    (known, minute) => afterFailure(known, gone.includes(minute), later(minute)) ?? known,
    undefined,
  );
}

const each = (step: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);

describe("D42: a webhook is disabled", () => {
  test("once it has failed for five days, and not before", () => {
    const all = each(30, 0, 5 * day);
    expect(failAt(all.slice(0, -1))?.disabled_at).toBeUndefined();
    expect(failAt(all)?.disabled_at).toBe(later(5 * day).toISOString());
  });

  test("not by an old failure and a new one: more than an hour without an attempt does not count", () => {
    const health = failAt([...each(30, 0, 4 * day), 5 * day]);
    expect(health).toEqual({
      failing_since: start.toISOString(),
      failed_at: later(5 * day).toISOString(),
      idle_ms: day * 60_000,
    });
    const paused = [...each(30, 0, 3 * day), ...each(30, 3 * day + 61, 5 * day + 61)];
    expect(failAt(paused.slice(0, -1))?.disabled_at).toBeUndefined();
    expect(failAt(paused)?.disabled_at).toBe(later(5 * day + 61).toISOString());
    expect(failAt([...each(60, 0, 5 * day)])?.disabled_at).toBeDefined();
  });

  test.each([26, 24 * 7])("although its events are %i hours apart, each of which fails for a day", (hours) => {
    const failing = (events: number) =>
      Array.from({ length: events }, (_, at) => each(30, at * hours * 60, at * hours * 60 + day)).flat();
    expect(failAt(failing(5).slice(0, -1))?.disabled_at).toBeUndefined();
    expect(failAt(failing(5))?.disabled_at).toBe(later(4 * hours * 60 + day).toISOString());
  });

  test("once each answer of an hour was a 410; one that was not begins the hour again", () => {
    const hour = each(30, 0, 60);
    expect(failAt([0, 30], hour)?.disabled_at).toBeUndefined();
    expect(failAt(hour, hour)?.disabled_at).toBe(later(60).toISOString());
    expect(failAt(hour, [0, 60])?.disabled_at).toBeUndefined();
    expect(failAt([0, 30, 60, 90], [30, 60, 90])?.disabled_at).toBe(later(90).toISOString());
    // An old 410 and a new one.
    expect(failAt([0, 90], [0, 90])?.disabled_at).toBeUndefined();
  });

  test("of many failures within a minute the first one is kept: a receiver that is down costs no write for each event", () => {
    const known = failAt([0]);
    expect(afterFailure(known, false, later(0.99))).toBeUndefined();
    expect(afterFailure(known, false, later(1))).toMatchObject({ failed_at: later(1).toISOString() });
    expect(afterFailure(known, true, later(0.5))).toMatchObject({ gone_since: later(0.5).toISOString() });
  });
});

describe("D42: after an attempt that failed", () => {
  const pause = (received: number, retryAfter?: string, chance = 1) =>
    pauseAfter({ received, retryAfter }, start, chance);

  test("each pause is twice the one before, up to half an hour, with jitter below", () => {
    expect([1, 2, 3, 8, 9, 60, 5_000].map((received) => pause(received))).toEqual([
      10, 20, 40, 1_280, 1_800, 1_800, 1_800,
    ]);
    expect([1, 2, 9].map((received) => pause(received, undefined, 0))).toEqual([8, 15, 1_350]);
  });

  test.each([
    ["120", 120],
    ["5", 10],
    ["0", 10],
    ["86400", 1_800],
    ["Mon, 01 Jun 2026 08:05:00 GMT", 300],
    ["Mon, 01 Jun 2026 07:00:00 GMT", 10],
    ["Tue, 01 Jun 2027 08:00:00 GMT", 1_800],
    ["soon", 10],
    ["-5", 10],
    ["99999999999999999999", 10],
  ])("a receiver that asks for %s gets %i seconds", (retryAfter, seconds) => {
    expect(pause(1, retryAfter)).toBe(seconds);
  });

  test("an event is tried for a day, some 60 times at the most, and within every hour", () => {
    let [elapsed, attempts] = [0, 1];
    while (isWorthTrying(start, pause(attempts, undefined, 0.5), later(elapsed))) {
      elapsed += pause(attempts, undefined, 0.5) / 60;
      attempts += 1;
    }
    expect(elapsed).toBeGreaterThan(23 * 60);
    expect(elapsed).toBeLessThan(triedForMs / 60_000);
    expect(attempts).toBeLessThan(65);
    expect([59, 60].map((seconds) => isWorthTrying(start, seconds, later(day - 1)))).toEqual([true, false]);
  });
});
