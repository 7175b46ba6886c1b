import { admittedAt, type Limit } from "./throttle.ts";

/** A failed guess of a client: when, in milliseconds, and at which login. */
export interface ClientGuess {
  readonly at: number;
  /** The login, by the start of its hash. */
  readonly on: string;
  /** When the pin was asked for that was guessed; absent for a password. */
  readonly pin?: number;
}

/** Failed guesses of an hour; hours are counted from 1970. */
export interface GuessHour {
  readonly hour: number;
  readonly failed: number;
}

/** The failed guesses of one client that still matter to a limit. */
export interface ClientGuesses {
  /** Oldest first. */
  readonly guesses: readonly ClientGuess[];
  readonly hours: readonly GuessHour[];
}

/** How often a pin may be tried by one client (D10). */
export const triesPerPin = 5;

/** A client without a guess. */
export const noClientGuesses: ClientGuesses = { guesses: [], hours: [] };

/** Distinct logins that a client may fail at (D10, D15): a site of many people is one client. */
const loginLimits: readonly Limit[] = [{ most: 30, withinMinutes: 5 }];

/** Guesses of a client, whatever they are at: what its item can hold. */
const guessLimits: readonly Limit[] = [{ most: 100, withinMinutes: 5 }];

/** Failed guesses of a client in any 24 hours (D10). */
const mostInDay = 10_000;
const hoursOfDay = 24;

const msPerHour = 3_600_000;
/** As far as the limits on single guesses look back. */
const keptMs = 5 * 60_000;
/** Tries of a pin limit it for longer than it lives. */
const pinKeptMs = 15 * 60_000;
/** More than the limits let anybody have but clients that logins know, which they do not keep out. */
const mostKept = 400;

/** When a client may guess at a login, in milliseconds: now, or when its own limits have capacity again (D10, D15). */
export function clientAdmittedAt({ guesses, hours }: ClientGuesses, on: string, now: number): number {
  const latest = new Map(guesses.filter((guess) => guess.on !== on).map(({ on: other, at }) => [other, at]));
  const atLogins = [...latest.values()].sort((one, other) => one - other);
  const all = guesses.map(({ at }) => at);
  return Math.max(admittedAt(atLogins, loginLimits, now), admittedAt(all, guessLimits, now), dayOpensAt(hours, now));
}

/** The guesses of a client with one more. */
export function withClientGuess(client: ClientGuesses, guess: ClientGuess): ClientGuesses {
  const hour = Math.floor(guess.at / msPerHour);
  const failed = 1 + (client.hours.find((each) => each.hour === hour)?.failed ?? 0);
  return {
    guesses: [...client.guesses.filter((each) => isKept(each, guess.at)), guess].slice(-mostKept),
    hours: [...client.hours.filter((each) => each.hour > hour - hoursOfDay && each.hour !== hour), { hour, failed }],
  };
}

/**
 * The guesses of a client after a success at a login: those at this login are forgotten, and the passwords that failed
 * longest ago at another one, which gives capacity back. Tries of other pins stay: they are what limits them (D10).
 */
export function afterSuccess({ guesses, hours }: ClientGuesses, on: string): ClientGuesses {
  const others = guesses.filter((guess) => guess.on !== on);
  const oldest = others.find(({ pin }) => pin === undefined)?.on;
  const kept = others.filter((guess) => guess.on !== oldest || guess.pin !== undefined);
  const given = guesses.length - kept.length;
  const last = hours.at(-1);
  if (!last) return { guesses: kept, hours };
  return { guesses: kept, hours: [...hours.slice(0, -1), { ...last, failed: Math.max(0, last.failed - given) }] };
}

/** How often a client has tried a login's pin, by the moment that pin was asked for. */
export function triesOfPin({ guesses }: ClientGuesses, on: string, askedAt: number): number {
  return guesses.filter((guess) => guess.on === on && guess.pin === askedAt).length;
}

function isKept({ at, pin }: ClientGuess, now: number): boolean {
  return at > now - (pin === undefined ? keptMs : pinKeptMs);
}

/** When fewer than a day's guesses are left of the last 24 hours, by whole hours. */
function dayOpensAt(hours: readonly GuessHour[], now: number): number {
  const current = Math.floor(now / msPerHour);
  const recent = hours.filter(({ hour }) => hour > current - hoursOfDay);
  let failed = recent.reduce((sum, hour) => sum + hour.failed, 0);
  for (const each of recent) {
    if (failed < mostInDay) break;
    failed -= each.failed;
    if (failed < mostInDay) return (each.hour + hoursOfDay) * msPerHour;
  }
  return now;
}
