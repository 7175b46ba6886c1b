import { expect, test } from "vitest";
import { type Actor, GuessingSite } from "../../support/requests/guessing-site.ts";
import { usualOrFull } from "../../support/service/counts.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse("2026-05-01T00:00:00.000Z");
const twoDays = usualOrFull(1, 2);
const many = usualOrFull(200, 1_000);
const victim = "victim@example.com";
const owner: Actor = { address: "owner" };
const knownOwner: Actor = { address: "owner", isKnown: true };

function attackers(count: number): Actor[] {
  return Array.from({ length: count }, (_, index) => ({ address: `attacker-${index}` }));
}

/** Guesses pins as fast as the rules let it; gives the compared guesses of each length. */
function guessPins(count: number, days: number, onMinute: (site: GuessingSite, now: number) => void = () => {}) {
  const site = new GuessingSite();
  const hosts = attackers(count);
  const compared = { 6: 0, 10: 0 };
  for (let now = start; now < start + days * day; now += minute) {
    const asker = hosts[((now - start) / minute) % hosts.length] as Actor;
    site.ask(victim, asker, now);
    // Each host spends its tries once for every pin: more is not compared.
    if (((now - start) / minute) % 10 === 1 || count === 1) {
      for (const host of hosts) {
        for (let tries = 0; tries < 5; tries += 1) {
          const digits = site.pin(victim, host, now);
          if (digits === 6 || digits === 10) compared[digits] += 1;
          if (digits === undefined) break;
        }
      }
    }
    onMinute(site, now + 30 * second);
  }
  return compared;
}

function guessPasswords(count: number, days: number, onMinute: (site: GuessingSite, now: number) => void = () => {}) {
  const site = new GuessingSite();
  const hosts = attackers(count);
  let compared = 0;
  for (let now = start; now < start + days * day; now += minute) {
    for (const host of hosts) {
      let isCompared = site.password(victim, host, now);
      for (; isCompared; isCompared = site.password(victim, host, now)) compared += 1;
      // Once the login itself is shut, no other host gets further.
      if (!isCompared && count > 100 && host === hosts[99]) break;
    }
    onMinute(site, now + 30 * second);
  }
  return compared;
}

function show(row: object): void {
  if (process.env.SHOW_FIGURES) console.error(JSON.stringify(row));
}

test.each([[1, twoDays], [10, twoDays], [many, 1], ...usualOrFull([], [[100_000, 1] as const])] as const)(
  "D10: %i addresses take a login over by its pin with a chance of at most one in 10,000 a day",
  (count, days) => {
    const compared = guessPins(count, days);
    const chance = (compared[6] / 1e6 + compared[10] / 1e10) / days;
    show({ by: "pin", addresses: count, shortADay: compared[6] / days, longADay: compared[10] / days, chance });
    expect(compared[6]).toBeGreaterThan(0);
    expect(compared[6] / days).toBeLessThanOrEqual(20);
    if (count <= 1_000) expect(chance).toBeLessThanOrEqual(1e-4);
  },
  600_000,
);

test.each([1, 10, many, 100_000])("D15: %i addresses compare at most 60 passwords of a login a day", (count) => {
  const compared = guessPasswords(count, 1);
  show({ by: "password", addresses: count, aDay: compared });
  expect(compared).toBeGreaterThan(0);
  expect(compared).toBeLessThanOrEqual(count === 1 ? 45 : 60);
}, 120_000);

test.each([
  [1, usualOrFull(10, 30)],
  [many, 1],
])(
  "D10, D11, D15: under %i addresses for %i days the owner waits at most 15 minutes, by mailbox or by a known client",
  (count, days) => {
    const waits = { pin: 0, strangersPassword: 0, known: 0 };
    // Every three hours the owner comes back with another need.
    const due = (now: number) => Math.floor((now - start) / minute) % 180 === 0;
    let needs: { since: number; hasMail: boolean } | undefined;
    guessPins(count, days, (site, now) => {
      if (due(now)) needs = { since: now, hasMail: false };
      if (!needs) return;
      const asked = site.ask(victim, owner, now);
      if (asked === undefined) return;
      expect(site.pin(victim, owner, now, true)).toBeDefined();
      waits.pin = Math.max(waits.pin, now - needs.since);
      needs = undefined;
    });
    guessPasswords(count, days, (site, now) => {
      if (!due(now)) return;
      expect(site.password(victim, knownOwner, now, true)).toBe(true);
      site.recover(victim, owner, now);
      expect(site.password(victim, owner, now, true)).toBe(true);
    });
    show({ addresses: count, days, waitForPinMinutes: waits.pin / minute, waitOfKnownClientMinutes: 0 });
    expect(waits.pin).toBeLessThanOrEqual(15 * minute);
  },
  120_000,
);

test("D10, D15: a site of 500 people behind one address signs in at 8 a.m., every fifth after mistakes, and nobody waits", () => {
  const site = new GuessingSite();
  const address = "site";
  let refused = 0;
  for (let person = 0; person < 500; person += 1) {
    const now = start + 8 * hour + person * 600;
    const login = `person-${person}@example.com`;
    const mistakes = person % 5 === 0 ? 2 : 0;
    for (let index = 0; index < mistakes; index += 1) refused += Number(!site.password(login, { address }, now));
    refused += Number(!site.password(login, { address }, now, person % 50 !== 0));
  }
  show({ site: 500, refused });
  expect(refused).toBe(0);
});

test("D10: one address without a success fails at most 10,000 guesses a day", () => {
  const site = new GuessingSite();
  let compared = 0;
  for (let now = start; now < start + day; now += 5 * minute) {
    for (let login = 0; login < 30; login += 1) {
      for (let index = 0; index < 5; index += 1) {
        compared += Number(site.password(`login-${now}-${login}`, { address: "one" }, now));
      }
    }
  }
  show({ address: 1, failedADay: compared });
  expect(compared).toBe(10_000);
});
