import { describe, expect, test } from "vitest";
import { type AskedPin, type LoginGuesses, noLoginGuesses } from "../../../shared/domain/guessing/login-guesses.ts";
import {
  afterFailedRequest,
  afterRightPin,
  askForPin,
  livePin,
  tryLivePin,
} from "../../../shared/domain/guessing/pin-flow.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse("2026-05-01T00:00:00.000Z");
const ann = { requestId: "one", by: "ann", registers: false, tries: 0 };
const eve = { requestId: "other", by: "eve", registers: false, tries: 0 };
const pin: AskedPin = {
  request_id: "one",
  asked_at: start,
  valid_to: start + 10 * minute,
  digits: 6,
  registers: false,
};

/** The guesses after requests at these moments that were all sent a pin. */
function asked(...moments: readonly (readonly [at: number, by: string])[]): LoginGuesses {
  const at = moments.at(-1)?.[0] ?? 0;
  const last = { ...pin, asked_at: at, valid_to: at + 10 * minute };
  return { ...noLoginGuesses, asked: moments.map(([moment, by]) => ({ at: moment, by })), pin: last };
}

/** Wrong short pins of strangers at these moments. */
function wrong(moments: readonly number[], streak = moments.length): LoginGuesses {
  return { ...noLoginGuesses, pins: moments, pin_streak: streak, pin };
}

const every = (count: number, pause: number) => Array.from({ length: count }, (_, index) => start + index * pause);

describe("D11: a request for a pin", () => {
  test("has six digits and 10 minutes, and shares its pin with everybody for a minute, to the millisecond", () => {
    const first = askForPin(noLoginGuesses, ann, start);
    expect(first).toMatchObject({ sends: pin, next: { asked: [{ at: start, by: "ann" }], pin } });
    const guesses = asked([start, "ann"]);
    expect(askForPin(guesses, eve, start + minute - 1)).toEqual({ shares: pin });
    expect(askForPin(guesses, eve, start + minute)).toMatchObject({ sends: { asked_at: start + minute } });
  });

  test.each([
    ["spent", { ...asked([start, "ann"]), spent_pin: start }, ann],
    ["out of the client's tries", asked([start, "ann"]), { ...ann, tries: 5 }],
    ["short while long ones are needed", { ...asked([start, "ann"]), pin_streak: 100 }, ann],
    ["no registration's where one is asked for", asked([start, "ann"]), { ...ann, registers: true }],
  ])("replaces at once a pin that is %s", (_, guesses, asker) => {
    expect(askForPin(guesses, asker, start + second)).toMatchObject({ sends: { asked_at: start + second } });
  });

  test("shares a pin with tries left, and a registration's with a registration", () => {
    expect(askForPin(asked([start, "ann"]), { ...ann, tries: 4 }, start + second)).toEqual({ shares: pin });
    const registered = { ...asked([start, "ann"]), pin: { ...pin, registers: true } };
    expect(askForPin(registered, { ...eve, registers: true }, start + second)).toHaveProperty("shares");
    expect(askForPin(registered, eve, start + second)).toHaveProperty("shares");
  });

  test("replaces at most twice a minute, whoever asks", () => {
    const spent = (guesses: LoginGuesses) => ({ ...guesses, spent_pin: guesses.pin?.asked_at ?? null });
    const twice = spent(asked([start, "ann"], [start + second, "eve"]));
    expect(askForPin(twice, ann, start + 2 * second)).toHaveProperty("sends");
    const thrice = spent(asked([start, "ann"], [start + second, "eve"], [start + 2 * second, "bob"]));
    expect(askForPin(thrice, { ...ann, by: "new" }, start + minute)).toEqual({ opensAt: start + 10 * minute });
    expect(askForPin(thrice, { ...ann, by: "new" }, start + 10 * minute)).toHaveProperty("sends");
  });

  test.each([
    { limit: "3 in 10 minutes", moments: every(3, 3 * minute), opens: start + 10 * minute },
    { limit: "5 in an hour", moments: every(5, 11 * minute), opens: start + hour },
    { limit: "10 in a day", moments: every(10, 61 * minute), opens: start + day },
  ])("of one client at a login: $limit, to the millisecond", ({ moments, opens }) => {
    const guesses = asked(...moments.map((at) => [at, "ann"] as const));
    const last = (moments.at(-1) ?? 0) + 2 * minute;
    expect(askForPin(guesses, ann, last)).toEqual({ opensAt: opens });
    expect(askForPin(guesses, ann, opens - 1)).toEqual({ opensAt: opens });
    expect(askForPin(guesses, ann, opens)).toHaveProperty("sends");
  });

  test("of another client waits for 15 minutes after the last at most, once the login's limits are reached", () => {
    const guesses = asked(...every(5, second * 70).map((at) => [at, "eve"] as const));
    const spaced = start + 4 * 70 * second + 15 * minute;
    expect(askForPin(guesses, ann, start + 20 * minute - minute)).toEqual({ opensAt: spaced });
    expect(askForPin(guesses, ann, spaced)).toHaveProperty("sends");
    const three = asked(...every(3, 70 * second).map((at) => [at, "eve"] as const));
    expect(askForPin(three, ann, start + 9 * minute)).toEqual({ opensAt: start + 10 * minute });
  });

  describe("whose pin may not have been queued", () => {
    const registration = { ...pin, registers: true };
    const failed = afterFailedRequest({ ...asked([start, "ann"]), pin: registration }, start, "ann", "one");

    test("counts no more, and has its pin sent as what it was by the next request, whatever that is", () => {
      expect(failed).toMatchObject({ asked: [], pin: { ...registration, unsent: true } });
      const answer = askForPin(failed, eve, start + second);
      expect(answer).toEqual({
        sends: registration,
        next: { ...failed, asked: [{ at: start + second, by: "eve" }], pin: registration },
      });
      expect("next" in answer && askForPin(answer.next, ann, start + 2 * second)).toEqual({ shares: registration });
    });

    test("leaves the pin to be sent once more where its next request failed as well, stored or not", () => {
      const answer = askForPin(failed, eve, start + second);
      const next = "next" in answer ? answer.next : noLoginGuesses;
      for (const id of ["one", "other"]) expect(afterFailedRequest(next, start + second, "eve", id)).toEqual(failed);
      expect(afterFailedRequest(failed, start + second, "eve", "other")).toBe(failed);
    });

    test("leaves a pin that has replaced it", () => {
      const replaced = { ...asked([start, "ann"], [start + second, "eve"]) };
      const guesses = { ...replaced, pin: { ...pin, request_id: "other", asked_at: start + second } };
      expect(afterFailedRequest(guesses, start, "ann", "one")).toBe(guesses);
      const atOnce = { ...asked([start, "ann"]), pin: { ...pin, request_id: "other" } };
      expect(afterFailedRequest(atOnce, start, "ann", "one")).toBe(atOnce);
    });
  });

  test("leaves an item that does not grow", () => {
    const many = asked(...every(40, hour).map((at) => [at, "eve"] as const));
    const answer = askForPin(many, ann, start + 50 * hour);
    expect("next" in answer && answer.next.asked).toHaveLength(20);
  });

  test.each([
    ["10 wrong pins in an hour", every(10, minute), 10, start + hour],
    ["20 wrong pins in a day", every(20, hour), 20, start + day],
  ])("after %s has ten digits, until one falls out of the window", (_, moments, streak, opens) => {
    expect(askForPin(wrong(moments, streak), ann, opens - 1)).toMatchObject({ sends: { digits: 10 } });
    expect(askForPin(wrong(moments, streak), ann, opens)).toMatchObject({ sends: { digits: 6 } });
    expect(askForPin(wrong(moments.slice(1), streak - 1), ann, opens - 1)).toMatchObject({ sends: { digits: 6 } });
  });

  test("after 100 wrong pins in a row has ten digits, however long ago", () => {
    expect(askForPin(wrong([], 100), ann, start + 29 * day)).toMatchObject({ sends: { digits: 10 } });
    expect(askForPin(wrong([], 99), ann, start + 29 * day)).toMatchObject({ sends: { digits: 6 } });
  });
});

describe("D10: a try of a pin", () => {
  const client = { by: "ann", isKnown: false, tries: 0 };

  test("finds a pin live until 9:59.999, and never a spent one", () => {
    expect(livePin({ ...noLoginGuesses, pin }, start + 10 * minute - 1)).toBe(pin);
    expect(livePin({ ...noLoginGuesses, pin }, start + 10 * minute)).toBeUndefined();
    expect(livePin({ ...noLoginGuesses, pin, spent_pin: start }, start)).toBeUndefined();
    expect(livePin({ ...noLoginGuesses, pin, spent_pin: start - 1 }, start)).toBe(pin);
  });

  test("is compared five times a client, and counts for the login", () => {
    const fourth = tryLivePin(wrong([]), pin, { ...client, tries: 4 }, start);
    expect(fourth).toMatchObject({ isCompared: true, next: { pins: [start], pin_streak: 1 } });
    expect(tryLivePin(wrong([]), pin, { ...client, tries: 5 }, start)).toEqual({ isCompared: false });
  });

  test.each([
    ["10 in an hour", every(10, minute), start + hour],
    ["20 in a day", every(20, hour), start + day],
  ])("of a short pin is not compared for strangers after %s, to the millisecond", (_, moments, opens) => {
    expect(tryLivePin(wrong(moments), pin, client, opens - 1)).toEqual({ isCompared: false });
    expect(tryLivePin(wrong(moments), pin, client, opens)).toMatchObject({ isCompared: true });
    expect(tryLivePin(wrong(moments.slice(1)), pin, client, opens - 1)).toMatchObject({ isCompared: true });
  });

  test("of a short pin is not compared for strangers after 100 in a row; 99 are not enough", () => {
    expect(tryLivePin(wrong([], 99), pin, client, start)).toMatchObject({
      isCompared: true,
      next: { pin_streak: 100 },
    });
    expect(tryLivePin(wrong([], 100), pin, client, start)).toEqual({ isCompared: false });
  });

  test("of a known client counts apart, 20 a day between them, also while strangers' sums are spent", () => {
    const known = { ...client, isKnown: true };
    const spent = { ...wrong(every(10, second), 100), known_pins: every(19, second) };
    const answer = tryLivePin(spent, pin, known, start + minute);
    expect(answer).toMatchObject({ isCompared: true, next: { known_pins: { length: 20 }, pins: { length: 10 } } });
    const all = { ...spent, known_pins: every(20, second) };
    expect(tryLivePin(all, pin, known, start + minute)).toEqual({ isCompared: false });
    expect(tryLivePin(all, pin, known, start + day)).toMatchObject({ isCompared: true });
    expect(tryLivePin(all, pin, { ...known, tries: 5 }, start + day)).toEqual({ isCompared: false });
  });

  test("of a long pin is limited by client and pin alone, and counts for no login", () => {
    const long = { ...pin, digits: 10 };
    const answer = { isCompared: true, isExempt: false };
    expect(tryLivePin(wrong(every(20, second), 100), long, client, start)).toEqual(answer);
    expect(tryLivePin(wrong([]), long, { ...client, tries: 5 }, start)).toEqual({ isCompared: false });
  });

  test("that is right leaves none of the login's wrong ones", () => {
    expect(afterRightPin(start)).toEqual({ pins: [], known_pins: [], pin_streak: 0, spent_pin: start });
  });
});
