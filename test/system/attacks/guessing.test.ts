import { expect, test } from "vitest";
import { askFor, type TriedPin, tryOf } from "../../../shared/domain/guessing/pins.ts";
import { usualOrFull } from "../../support/service/counts.ts";

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;
const start = Date.parse("2026-05-01T00:00:00.000Z");
const days = usualOrFull(10, 30);
/** Requests a second that a stage takes at the two routes that try pins: a long pin has no other limit. */
const throttled = 2 * 400;

/** The rules of one login's pins without a table: what the service would decide, at any moment that a test likes. */
class PinSite {
  #pin: TriedPin | undefined;

  /** Asks for a pin; true if its message is sent. */
  ask(now: number): boolean {
    const { pin, write } = askFor(this.#pin, `${now}`, 0, new Date(now));
    this.#pin = pin;
    return write !== "none";
  }

  /** The digits of the pin that a try is compared with; undefined if it is not. */
  try(now: number, isRight = false): number | undefined {
    const live = this.#pin;
    const kind = live ? tryOf(live, { wrongPins: 0, client: "", now: new Date(now) }) : "none";
    if (!live || kind === "none") return undefined;
    const spent = isRight && { spent_at: new Date(now).toISOString() };
    this.#pin = { ...live, ...spent, tries: live.tries + Number(kind === "counted") };
    return live.digits;
  }
}

/** Guesses short pins as fast as the rules let it, and long ones at the stage's request rate. Gives the guesses of each length. */
function guessPins(onMinute: (site: PinSite, now: number) => void = () => {}) {
  const site = new PinSite();
  const compared = { 6: 0, 12: 0 };
  for (let now = start; now < start + days * day; now += minute) {
    site.ask(now);
    for (let tries = 0; tries < 25 && site.try(now) === 6; tries += 1) compared[6] += 1;
    compared[12] += (throttled * minute) / second;
    onMinute(site, now + 30 * second);
  }
  return compared;
}

function show(row: object): void {
  if (process.env.SHOW_FIGURES) console.error(JSON.stringify(row));
}

test("D10: any number of addresses takes a login over by its pin with a chance of at most one in 10,000 a day", () => {
  const compared = guessPins();
  const chance = (compared[6] / 1e6 + compared[12] / 1e12) / days;
  show({ by: "pin", shortADay: compared[6] / days, longADay: compared[12] / days, chance });
  expect(compared[6]).toBe(20 * days);
  expect(chance).toBeLessThanOrEqual(1e-4);
});

test(`D10, D11: under attack for ${days} days the owner waits at most 15 minutes for a pin that fits, by a mailbox that strangers have filled`, () => {
  let longest = 0;
  // Every three hours the owner comes back with another need, and reads no message of before.
  let need: { since: number; hasMail: boolean } | undefined;
  guessPins((site, now) => {
    if (Math.floor((now - start) / minute) % 180 === 0) need = { since: now, hasMail: false };
    if (!need) return;
    need.hasMail ||= site.ask(now);
    if (!need.hasMail) return;
    expect(site.try(now, true)).toBeDefined();
    longest = Math.max(longest, now - need.since);
    need = undefined;
  });
  show({ days, waitForPinMinutes: longest / minute });
  expect(longest).toBeLessThanOrEqual(15 * minute);
});
