import { type Channel, GuessingSite, type PinAsk } from "./guessing-site.ts";

const second = 1_000;
const minute = 60 * second;
/** When floods begin, and when owners ask: a flood's pins have expired by then. */
export const [start, late] = ["2026-05-01T00:00:00.000Z", "2026-05-01T20:00:00.000Z"].map(Date.parse) as [
  number,
  number,
];

/** Those who flood: their addresses. */
export const floods = {
  "one address": ["198.51.100.1"],
  "ten addresses": addresses(10),
  "sixty addresses": addresses(60),
  "one /48": Array.from({ length: 60 }, (_, at) => `2001:db8:1:${at.toString(16)}::1`),
} as const;

/** The numbers that they ask for: of users; numbers in order, one in ten of a user; new numbers. */
export const targets = {
  "a known list": { isKnown: () => true, registers: false },
  "a walked range": { isKnown: (number: number) => number % 10 === 0, registers: false },
  registrations: { isKnown: () => true, registers: true },
} as const;

/** The messages of a flood, by address and together. */
export interface Flood {
  readonly site: GuessingSite;
  readonly sent: readonly number[];
  readonly total: number;
}

/**
 * Has each address, after the one before has got all that it gets, ask for one number after the other until one is held back: the
 * order that gets the most. Each gets pins of its own: those of 15 minutes before have expired. Unknown numbers end at the worker and
 * cost nothing. The limit on registrations of an hour is left out.
 */
export function flood(from: readonly string[], of: keyof typeof targets, perDay: number): Flood {
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
export function askLate(site: GuessingSite, login: string, by: PinAsk, times = 1): boolean[] {
  const sms: Channel = "sms";
  return Array.from({ length: times }, (_, at) => site.ask(login, late + at * minute, { channel: sms, ...by }).isSent);
}

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `198.51.100.${at + 1}`);
}
