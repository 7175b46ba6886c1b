import { describe, expect, test } from "vitest";
import { type Channel, GuessingSite, type PinAsk } from "./guessing-site.ts";
import { Mailbox } from "./mailbox.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** When floods begin, and when owners ask: a flood's pins have expired by then. */
const [start, late] = ["2026-05-01T00:00:00.000Z", "2026-05-01T20:00:00.000Z"].map(Date.parse) as [number, number];

/** Those who flood: their addresses. */
const floods = {
  "one address": ["198.51.100.1"],
  "ten addresses": addresses(10),
  "sixty addresses": addresses(60),
  "one /48": Array.from({ length: 60 }, (_, at) => `2001:db8:1:${at.toString(16)}::1`),
} as const;

/** The numbers that they ask for: of users; numbers in order, one in ten of a user; new numbers. */
const targets = {
  "a known list": { isKnown: () => true, registers: false },
  "a walked range": { isKnown: (number: number) => number % 10 === 0, registers: false },
  registrations: { isKnown: () => true, registers: true },
} as const;

/** The messages of a flood, by address and together. */
interface Flood {
  readonly site: GuessingSite;
  readonly sent: readonly number[];
  readonly total: number;
}

/**
 * Has each address, after the one before has got all that it gets, ask for one number after the other until one is held back: the
 * order that gets the most. Each gets pins of its own: those of 15 minutes before have expired. Unknown numbers end at the worker and
 * cost nothing. The limit on registrations of an hour is left out.
 */
function flood(from: readonly string[], of: keyof typeof targets, perDay: number): Flood {
  const site = new GuessingSite({ sms: perDay, email: perDay });
  const { isKnown, registers } = targets[of];
  const sent = from.map((address, turn) => {
    let got = 0;
    for (let number = 0; ; number += 1) {
      if (!isKnown(number)) continue;
      const at = start + turn * 15 * minute + number;
      if (!site.ask(`${number}`, at, { from: address, registers, channel: "sms" }).isSent) return got;
      got += 1;
    }
  });
  return { site, sent, total: sent.reduce((sum, each) => sum + each, 0) };
}

/** True for each of so many messages of a login, asked for a minute apart, that is sent. */
function askLate(site: GuessingSite, login: string, by: PinAsk, times = 1): boolean[] {
  const sms: Channel = "sms";
  return Array.from({ length: times }, (_, at) => site.ask(login, late + at * minute, { channel: sms, ...by }).isSent);
}

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `198.51.100.${at + 1}`);
}

/** The SMS of a day: dev's, prod's, and more. */
const ceilings = [300, 2_000, 20_000];
const [elsewhere, carrier] = ["203.0.113.7", "203.0.113.99"];

const rule = {
  proofs: "A login's first 20 messages with a proof may use all of the stage's messages of a day.",
  clients: "A client's first 20 messages may use 90 % of them, its further ones 60 %.",
  registrations: "Registrations together have 20 %, of which one client has half.",
};

/** Prints a row with SHOW_FIGURES. */
function show(row: object): void {
  if (process.env.SHOW_FIGURES) console.error(JSON.stringify(row));
}

/** So many users' numbers are asked for from one address all day, each minute. */
function askAllDay(numbers: number, by: PinAsk = {}): GuessingSite {
  const site = new GuessingSite({ sms: 2_000, email: 20_000 });
  for (let at = start; at < late; at += minute) {
    for (let number = 0; number < numbers; number += 1) site.ask(`${number}`, at, { channel: "sms", ...by });
  }
  return site;
}

test.each(
  Object.entries(floods).flatMap(([name, from]) =>
    (["a known list", "a walked range", "registrations"] as const).flatMap((of) =>
      ceilings.map((perDay) => ({ name, from, of, perDay })),
    ),
  ),
)("D11: of $perDay SMS a day, $name that asks for $of leaves proofs the last tenth", ({ name, from, of, perDay }) => {
  const { site, sent, total } = flood(from, of, perDay);
  const owner = {
    elsewhere: askLate(site, "owner-1", { from: elsewhere }),
    proved: askLate(site, "owner-2", { from: elsewhere, isKnown: true }, 3),
    provedNextToTheFlood: askLate(site, "owner-3", { from: from[0], isKnown: true }, 3),
  };
  // After ten messages of others on a day a pin is sent once.
  const isFloodedSent = askLate(site, "0", { from: elsewhere, isKnown: true });
  show({ name, of, perDay, total, one: sent[0], owner, isFloodedSent });
  expect(isFloodedSent).toEqual([true]);
  expect(sent[0]).toBeLessThanOrEqual(0.6 * perDay + 20);
  expect(total).toBeLessThanOrEqual(0.9 * perDay);
  const { elsewhere: unproved, ...proved } = owner;
  for (const each of Object.values(proved)) expect(each).toEqual([true, true, true]);
  const clients = name === "one /48" ? 1 : from.length;
  if (0.6 * perDay + 20 * clients < 0.9 * perDay) expect(unproved).toEqual([true]);
});

describe(rule.proofs, () => {
  test("20 users who ask for pins of their own numbers all day, with a proof, leave the next user's first SMS", () => {
    const site = askAllDay(20, { isKnown: true });
    show({ smsADay: 2_000, knownNumbers: 20, sent: site.messages });
    expect(site.messages).toBeLessThanOrEqual(0.6 * 2_000 + 20);
    expect(askLate(site, "next", { from: elsewhere }, 3)).toEqual([true, true, true]);
  });

  test("it takes ten accounts of one's own to use up the last tenth of 2,000", () => {
    const { site, total } = flood(floods["sixty addresses"], "a known list", 2_000);
    expect(total).toBe(1_800);
    let accounts = 0;
    for (; site.messages < 2_000; accounts += 1) {
      for (let at = late; at < late + 3 * hour; at += minute)
        site.ask(`own-${accounts}`, at, { isKnown: true, channel: "sms", from: "198.51.100.1" });
    }
    expect(accounts).toBe(10);
  });

  test("while a stranger asks for pins of a user's number every second, and all but the last tenth is used up, the user's proof has one sent in 15 minutes", () => {
    const { site } = flood(floods["sixty addresses"], "a known list", 2_000);
    const mailbox = new Mailbox(site, "owner");
    const askByStranger = (at: number) => mailbox.ask(at, { channel: "sms" });
    for (let at = late - hour; at <= late; at += second) askByStranger(at);
    const { ms } = mailbox.wait(late + minute, askByStranger, { channel: "sms", isKnown: true, from: elsewhere });
    show({ waitOf: "a proof, by SMS", minutes: ms / minute });
    expect(ms).toBeLessThanOrEqual(2 * minute);
  });
});

describe(rule.clients, () => {
  test.each(ceilings)("of %i, one address has 60 % alone, and 20 more after others", (perDay) => {
    const { site, total } = flood(floods["one address"], "a known list", perDay);
    expect(total).toBe(0.6 * perDay);
    expect(flood([elsewhere, "198.51.100.1"], "a known list", perDay).sent).toEqual([0.6 * perDay, 20]);
    expect(askLate(site, "next", { from: elsewhere }, 3)).toEqual([true, true, true]);
  });

  test("a /48 of IPv6, and the IPv6 form of an IPv4 address, are one client; two of each are two", () => {
    expect(flood(floods["one /48"], "a known list", 300).total).toBe(180);
    expect(flood(["198.51.100.1", "::ffff:198.51.100.1"], "a known list", 300).total).toBe(180);
    expect(flood(["2001:db8:1::1", "2001:db8:2::1"], "a known list", 300).total).toBe(200);
  });

  test("7 numbers that are asked for all day from one address leave the next user's first, second and third SMS", () => {
    expect(askLate(askAllDay(7), "next", { from: elsewhere }, 3)).toEqual([true, true, true]);
  });

  test("a carrier's shared address: a usual day loses nothing; in another's flood its first 20 messages are sent, in one of its own those with a proof", () => {
    const people = Array.from({ length: 500 }, (_, at) => `person-${at}`);
    const sentTo = (site: GuessingSite, by: PinAsk = {}) =>
      people.filter((person) => askLate(site, person, { from: carrier, ...by })[0]).length;
    const usual = sentTo(new GuessingSite({ sms: 2_000, email: 2_000 }));
    const inAnothers = sentTo(flood(floods["one address"], "a known list", 2_000).site);
    const own = flood([carrier], "a known list", 2_000).site;
    const inItsOwn = sentTo(own);
    const proved = sentTo(own, { isKnown: true });
    show({ carrier: { people: people.length, usual, inAnothers, inItsOwn, proved } });
    expect({ usual, inAnothers, inItsOwn, proved }).toEqual({ usual: 500, inAnothers: 20, inItsOwn: 0, proved: 500 });
  });
});

describe(rule.registrations, () => {
  test.each(ceilings)("of %i, one client has a tenth, and two or more have a fifth", (perDay) => {
    const [one, ten, net] = (["one address", "ten addresses", "one /48"] as const).map(
      (name) => flood(floods[name], "registrations", perDay).total,
    );
    show({ perDay, registrations: { one, ten, net } });
    expect([one, ten, net]).toEqual([0.1 * perDay, 0.2 * perDay, 0.1 * perDay]);
  });

  test("of any number, one client has at most half, but the only one of 5 to 9", () => {
    for (let perDay = 0; perDay <= 60; perDay += 1) {
      const [one, two] = (["one address", "ten addresses"] as const).map(
        (name) => flood(floods[name], "registrations", perDay).total,
      );
      const all = Math.floor(perDay / 5);
      expect([perDay, one, two]).toEqual([perDay, all === 1 ? 1 : Math.floor(all / 2), all]);
    }
  });

  test("they leave everybody's other messages, and are left half by one client", () => {
    const { site } = flood(floods["ten addresses"], "registrations", 300);
    expect(askLate(site, "owner", { from: elsewhere })).toEqual([true]);
    const { site: ofOne } = flood(floods["one address"], "registrations", 300);
    expect(askLate(ofOne, "new", { from: elsewhere, registers: true })).toEqual([true]);
    expect(askLate(ofOne, "new too", { from: "198.51.100.1", registers: true })).toEqual([false]);
    expect(askLate(ofOne, "known", { from: "198.51.100.1" })).toEqual([true]);
  });
});
