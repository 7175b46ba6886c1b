import { describe, expect, test } from "vitest";
import { countsProof, maySend } from "../../functions/workers/deliver-pin.ts";
import { askFor, isLivePin, newPin } from "../../shared/people/ask-for-pin.ts";
import { tryOf } from "../../shared/people/confirm.ts";
import type { TriedPin } from "../../shared/people/pins.ts";

const noon = new Date("2026-05-01T12:00:00.000Z");
const client = "client";
const pin: TriedPin = newPin(undefined, "one", 0, noon);
const long: TriedPin = { ...pin, digits: 12, tries: 20 };
const brake = 5_000;

function later(milliseconds: number): Date {
  return new Date(noon.getTime() + milliseconds);
}

/** A moment so many minutes after the end of that day. */
const midnight = (count: number) => new Date(Date.parse("2026-05-02") + count * 60_000).toISOString();
const minutes = (count: number) => later(count * 60_000);

test("D9: a new pin has six digits, 12 minutes, no message and no tries", () => {
  const life = { asked_at: "2026-05-01T12:00:00.000Z", valid_to: "2026-05-01T12:12:00.000Z", day: "2026-05-01" };
  expect(pin).toEqual({ request_id: "one", ...life, digits: 6, messages: 0, proved: 0, tries: 0, sent: 0 });
});

test.each<[string, TriedPin | undefined, number, Date, object]>([
  [
    "a pin of the same day: its figures go on",
    { ...pin, messages: 3, proved: 2, tries: 4 },
    0,
    noon,
    { messages: 3, proved: 2, tries: 4 },
  ],
  [
    "a pin of the day before: they start again",
    { ...pin, messages: 9, proved: 9, tries: 20 },
    0,
    minutes(720),
    { messages: 0, proved: 0, tries: 0, digits: 6 },
  ],
  ["19 tries: it is short", { ...pin, tries: 19 }, 0, noon, { digits: 6 }],
  ["20 tries: it is long", { ...pin, tries: 20 }, 0, noon, { digits: 12 }],
  ["4,999 wrong pins of all logins: it is short", pin, 4_999, noon, { digits: 6 }],
  ["5,000 wrong pins of all logins: it is long", undefined, brake, noon, { digits: 12 }],
])("D10: a new pin after %s", (_, before, wrongPins, now, expected) => {
  expect(newPin(before, "two", wrongPins, now)).toMatchObject({ request_id: "two", sent: 0, ...expected });
});

test.each<[string, TriedPin, number, Date, boolean]>([
  ["until its last millisecond", pin, 0, later(12 * 60_000 - 1), true],
  ["not when it has expired", pin, 0, minutes(12), false],
  ["not when it is spent", { ...pin, spent_at: noon.toISOString() }, 0, noon, false],
  ["with 19 tries", { ...pin, tries: 19 }, 0, noon, true],
  ["not with 20", { ...pin, tries: 20 }, 0, noon, false],
  ["with 4,999 wrong pins of all logins", pin, 4_999, noon, true],
  ["not with 5,000", pin, brake, noon, false],
  ["though all short ones are used up, if it is long", long, brake, noon, true],
  ["not when it has expired, also if it is long", long, brake, minutes(12), false],
])("D9, D10: a pin is live %s", (_, stored, wrongPins, now, expected) => {
  expect(isLivePin(stored, wrongPins, now)).toBe(expected);
});

/** The same pin after so many messages of it and of its login's day. */
function sent(times: number, messages = times): TriedPin {
  return { ...pin, sent: times, messages, sent_for: noon.toISOString() };
}

describe("D9: a request for a pin", () => {
  test.each<[string, TriedPin | undefined, Date, object]>([
    ["makes its login's first", undefined, noon, { isNew: true }],
    [
      "replaces one that was spent late on the day before, after all its free messages",
      { ...pin, asked_at: midnight(-5), valid_to: midnight(7), messages: 10, spent_at: midnight(-4) },
      new Date(midnight(1)),
      { isNew: true, pin: { messages: 0, sent: 0 } },
    ],
    [
      "waits for the end of one that was spent after all of the day's free messages",
      { ...pin, messages: 10, spent_at: noon.toISOString() },
      minutes(1),
      { isNew: false },
    ],
    [
      "waits until its last millisecond",
      { ...pin, messages: 10, spent_at: noon.toISOString() },
      later(12 * 60_000 - 1),
      { isNew: false },
    ],
    ["replaces it at its end", { ...pin, messages: 10, spent_at: noon.toISOString() }, minutes(12), { isNew: true }],
    [
      "replaces one that was spent before",
      { ...pin, messages: 9, spent_at: noon.toISOString() },
      noon,
      { isNew: true },
    ],
    ["replaces one that has expired", pin, minutes(12), { isNew: true, pin: { request_id: "two" } }],
    ["keeps a live one, however often it was sent", sent(3, 40), minutes(11), { isNew: false }],
  ])("%s", (_, before, now, expected) => {
    expect(askFor(before, "two", 0, now)).toMatchObject(expected);
  });
});

describe("D11: the message of a pin is", () => {
  test.each<[string, TriedPin, Date, boolean]>([
    ["sent for its first request", pin, noon, true],
    ["sent after any number of messages that were not", pin, minutes(11), true],
    ["sent first though its login has had all free messages of the day", { ...pin, messages: 10 }, noon, true],
    ["not sent again within a minute", sent(1), later(59_999), false],
    ["not sent for a request before the one that had it sent", sent(1), later(-120_000), false],
    ["sent again a minute later", sent(1), minutes(1), true],
    ["sent a third time", sent(2), minutes(1), true],
    ["not sent a fourth time", sent(3), minutes(11), false],
    ["sent again as the tenth of a day", sent(1, 9), minutes(1), true],
    ["not sent again after the tenth of a day", sent(1, 10), minutes(1), false],
    ["not sent when its pin is spent", { ...pin, spent_at: noon.toISOString() }, noon, false],
  ])("%s", (_, stored, at, expected) => {
    expect(maySend(stored, at.toISOString())).toBe(expected);
  });

  test("sent 126 times to the login for which a stranger asks all day", () => {
    let stored: TriedPin | undefined;
    const day = Date.parse("2026-05-02T00:00:00.000Z");
    for (let second = 0; second < 86_400; second += 5) {
      const now = new Date(day + second * 1_000);
      const { pin: asked } = askFor(stored, String(second), 0, now);
      const { sent, messages } = asked;
      const isSent = maySend(asked, now.toISOString());
      stored = isSent ? { ...asked, sent: sent + 1, messages: messages + 1, sent_for: now.toISOString() } : asked;
    }
    expect(stored?.messages).toBe(126);
  });
});

test("D11: the proofs of a login count for 20 messages of a day", () => {
  expect(countsProof({ ...pin, proved: 19 }, true)).toBe(true);
  expect(countsProof({ ...pin, proved: 20 }, true)).toBe(false);
  expect(countsProof(pin, false)).toBe(false);
});

test.each<[string, TriedPin, number, Date, "counted" | "free" | "none"]>([
  ["a live short pin", pin, 0, noon, "counted"],
  ["the last try of a short pin", { ...pin, tries: 19 }, 0, noon, "counted"],
  ["a short pin that is used up", { ...pin, tries: 20 }, 0, noon, "none"],
  ["a short pin while those of all logins are used up", pin, brake, noon, "none"],
  ["a long pin", long, brake, noon, "free"],
  ["an expired pin", long, 0, minutes(12), "none"],
  [
    "a pin that this client spent",
    { ...pin, spent_at: noon.toISOString(), spent_from: client },
    0,
    later(59_999),
    "counted",
  ],
  ["the same after a minute", { ...pin, spent_at: noon.toISOString(), spent_from: client }, 0, minutes(1), "none"],
  ["a pin that another client spent", { ...pin, spent_at: noon.toISOString(), spent_from: "other" }, 0, noon, "none"],
  [
    "a pin that this client spent and used up",
    { ...pin, tries: 20, spent_at: noon.toISOString(), spent_from: client },
    0,
    noon,
    "none",
  ],
])("D9, D10, D13: a try of %s", (_, stored, wrongPins, now, expected) => {
  expect(tryOf(stored, { wrongPins, client, now })).toBe(expected);
});
