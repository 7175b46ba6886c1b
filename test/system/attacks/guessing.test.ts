import { expect, test } from "vitest";
import { chanceOf } from "../../../infra/local/demo/demo-chance.ts";
import { pinDigits } from "../../../shared/contract/accounts.ts";
import { pinRules, wrongPins } from "../../../shared/people/pins.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { GuessingSite } from "./guessing-site.ts";
import { Mailbox } from "./mailbox.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse("2026-05-01T00:00:00.000Z");
const victim = "victim";
const days = usualOrFull(3, 30);
/** Requests a second that the throttle of the two routes that try pins lets through: prod's, and the highest of any stage. */
const [throttle, highestThrottle] = [2 * 50, 2 * 400];
/** Prod's messages in a day. */
const ceilings = { sms: 2_000, email: 20_000 };

/** Prints a row with SHOW_FIGURES. */
function show(row: object): void {
  if (process.env.SHOW_FIGURES) console.error(JSON.stringify(row));
}

/** Tries as many pins of a login as a minute allows; gives how many short and long ones were compared. */
function guess(site: GuessingSite, login: string, at: number, tries: number): { short: number; long: number } {
  const digits = () => site.pin(login, at)?.digits;
  site.ask(login, at);
  let short = 0;
  for (; short < tries && digits() === pinDigits; short += 1) site.tryPin(login, at);
  if (short < tries) site.ask(login, at);
  return { short, long: digits() === pinDigits ? 0 : tries - short };
}

const takeoverBy = (short: number, long: number) => short / 1e6 + long / 1e12;

test.each([
  [1, throttle],
  [100_000, highestThrottle],
])("D10: %i addresses and %i requests a second take a login over by its pin with a chance of at most 1e-4 a day, whether its owner is active", (addresses, requests) => {
  for (const isActive of [false, true]) {
    const site = new GuessingSite(ceilings);
    const tried = { short: 0, long: 0 };
    for (let at = start; at < start + days * day; at += minute) {
      const { short, long } = guess(site, victim, at, 60 * Math.min(addresses, requests));
      tried.short += short;
      tried.long += long;
      if (isActive && at % day === 12 * hour) site.tryPin(victim, at, true);
    }
    const [short, long, messages] = [tried.short, tried.long, site.messages].map((each) => each / days);
    const takeover = takeoverBy(short ?? 0, long ?? 0);
    show({ by: "pin", addresses, requests, isActive, short, long, messages, takeover });
    expect(short).toBe(pinRules.triesADay);
    expect(takeover).toBeLessThanOrEqual(1e-4);
    expect(messages).toBeLessThanOrEqual(128);
  }
});

test("D10: pins sprayed over 10,000 logins take over at most 0.01 of a login a day", () => {
  const site = new GuessingSite(ceilings);
  let short = 0;
  for (let login = 0; login < 10_000; login += 1) short += guess(site, `${login}`, start + login * 200, 20).short;
  for (const requests of [throttle, 10_000]) {
    const takeovers = takeoverBy(short, (requests * day) / second);
    show({ by: "pin", logins: 10_000, requests, short, takeovers });
    expect(takeovers).toBeLessThanOrEqual(1e-2);
  }
  expect(short).toBe(wrongPins.most);
});

/** The strangers against an owner: so many tries a second, of every pin at once or in the owner's last moment. */
const strangers = {
  "no stranger": undefined,
  "1,000 addresses": { tries: throttle, isPatient: false },
  "a stranger who waits for the owner's last moment": { tries: throttle, isPatient: true },
} as const;

test.each(
  Object.entries(strangers).flatMap(([name, stranger]) => [0, 0.1].map((lost) => ({ name, stranger, lost }))),
)("D10, D11: against $name, with $lost of all messages lost, an owner with a mailbox gets in", ({
  name,
  stranger,
  lost,
}) => {
  const random = chanceOf(27);
  const site = new GuessingSite(ceilings);
  const mailbox = new Mailbox(site, victim, () => random.percent(lost * 100));
  const attack = (at: number, isLast: boolean) => {
    if (!stranger) return;
    mailbox.ask(at);
    const kills = site.pin(victim, at)?.digits === pinDigits && (isLast || !stranger.isPatient);
    for (let tries = 0; kills && tries < stranger.tries; tries += 1) site.tryPin(victim, at);
  };
  const pause = 3 * hour + 37 * minute + 41 * second;
  const waits = Array.from({ length: usualOrFull(80, 800) }, (_, need) => {
    const from = start + (need + 1) * pause;
    // At each need the stranger's pin has another age.
    for (let at = from - hour + (need % 72) * 10 * second; at < from; at += 10 * second) attack(at, false);
    return mailbox.wait(from, attack);
  });
  const minutes = waits.map(({ ms }) => ms / minute).toSorted((one, other) => one - other);
  const at = (share: number) => minutes[Math.ceil(minutes.length * share) - 1] ?? 0;
  show({ waitOf: "mailbox", name, lost, needs: minutes.length, p50: at(0.5), p95: at(0.95), worst: at(1) });
  // Two messages in a row that are lost are beyond what the service can promise.
  for (const wait of waits) if (wait.lost < 2) expect(wait.ms).toBeLessThanOrEqual(15 * minute);
  if (lost === 0) expect(at(0.95)).toBeLessThanOrEqual(1.4);
  if (lost === 0) expect(at(1)).toBeLessThanOrEqual(stranger?.isPatient ? 2.5 : 1.4);
});

test("D11: a user who spends every pin at once is sent as many messages as anybody", () => {
  const site = new GuessingSite(ceilings);
  for (let at = start; at < start + day; at += 10 * second) {
    site.ask(victim, at, { isKnown: true });
    if (site.pin(victim, at)) site.tryPin(victim, at, true);
  }
  show({ by: "spent pins", messages: site.messages });
  expect(site.messages).toBeLessThanOrEqual(130);
});
