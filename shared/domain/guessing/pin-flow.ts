import { longPinDigits, pinDigits } from "../../contract/accounts.ts";
import { pinLifeMinutes } from "../accounts/pin.ts";
import { triesPerPin } from "./client-guesses.ts";
import {
  type AskedPin,
  type GuessingClient,
  isKnownTo,
  knownLimits,
  type LoginGuesses,
  type PinRequested,
} from "./login-guesses.ts";
import { admittedAt, type Limit, withAttempt } from "./throttle.ts";

const hour = 60;
const day = 24 * hour;
const msPerMinute = 60_000;

/** Wrong short pins over all clients that a login does not know (D10). */
const triesOfLogin: readonly Limit[] = [
  { most: 10, withinMinutes: hour },
  { most: 20, withinMinutes: day },
];

/** So many wrong short pins in a row, and a login gets long ones (D10). */
const closingStreak = 100;

/** Pins that a login gets at once, and those of one client (D11): the first and two that replace it, even in a minute. */
const askedLimits: readonly Limit[] = [
  { most: 3, withinMinutes: 10 },
  { most: 5, withinMinutes: hour },
  { most: 10, withinMinutes: day },
];

/** Above those limits a login gets a pin so often: a stranger costs the owner minutes, not a day (D11). */
const spacingMinutes = 15;

/** Requests of a kind that a limit may still look at. */
const keptRequests = 20;

/** A request for a pin, and how often its client has tried the one that counts. */
export interface PinAsker {
  readonly requestId: string;
  readonly by: string;
  readonly registers: boolean;
  readonly tries: number;
}

/** What becomes of a request: it shares the pin that was just sent, has one sent, or waits until a moment. */
export type PinAnswer =
  | { readonly shares: AskedPin }
  | { readonly sends: AskedPin; readonly next: LoginGuesses }
  | { readonly opensAt: number };

/** What becomes of a try: whether the pin is compared, and what the login's figures are then, where they change. */
export interface PinTryAnswer {
  readonly isCompared: boolean;
  /** True for a client that the login knows and that may try more: nothing else keeps it out. */
  readonly isExempt?: boolean;
  readonly next?: LoginGuesses;
}

/** The pin of a login that counts: asked for, neither expired nor spent. */
export function livePin({ pin, spent_pin }: LoginGuesses, now: number): AskedPin | undefined {
  return pin && now < pin.valid_to && pin.asked_at !== spent_pin ? pin : undefined;
}

/** True while the short pins of a login have been guessed at too often: then its pins are long (D10). */
function needsLongPin({ pins, pin_streak }: LoginGuesses, now: number): boolean {
  return pin_streak >= closingStreak || admittedAt(pins, triesOfLogin, now) > now;
}

/**
 * Decides a request for a pin. Within a minute of another it shares that one's pin, unless that is spent or out of tries,
 * or only a registration's would help: then it is replaced at once, at most twice a minute. One that may not have been
 * queued is sent again. Registrations and other requests are limited apart: nobody who asks for pins of a login keeps its
 * owner from registering (D10, D11).
 */
export function askForPin(guesses: LoginGuesses, asker: PinAsker, now: number): PinAnswer {
  const live = livePin(guesses, now);
  const shared = live && now - live.asked_at < msPerMinute && mayShare(guesses, live, asker, now) ? live : undefined;
  if (shared && !shared.unsent) return { shares: shared };
  const [same, others] = partition(guesses.asked, asker);
  const opensAt = requestAdmittedAt(same, asker.by, now);
  if (opensAt > now) return { opensAt };
  const { unsent: _, ...sends } = shared ?? newPin(guesses, asker, now);
  const request = { at: now, by: asker.by, ...(asker.registers && { registers: true as const }) };
  const asked = [...others, ...[...same, request].slice(-keptRequests)];
  return { sends, next: { ...guesses, asked, pin: sends } };
}

/**
 * The guesses when the pin of a request of that moment may not have been queued: the request counts no more, and the next one
 * has the pin sent. It is the request's own, or an older one that it had sent again; one that has replaced it stays.
 */
export function afterFailedRequest(guesses: LoginGuesses, at: number, by: string, requestId: string): LoginGuesses {
  const asked = guesses.asked.filter((each) => each.at !== at || each.by !== by);
  const { pin } = guesses;
  if (!pin || asked.length === guesses.asked.length) return guesses;
  const isOwn = pin.request_id === requestId || pin.asked_at < at;
  return isOwn ? { ...guesses, asked, pin: { ...pin, unsent: true } } : guesses;
}

function newPin(guesses: LoginGuesses, { registers, requestId: request_id }: PinAsker, now: number): AskedPin {
  const digits = needsLongPin(guesses, now) ? longPinDigits : pinDigits;
  return { request_id, asked_at: now, valid_to: now + pinLifeMinutes * msPerMinute, digits, registers };
}

/**
 * Decides a try of a login's live pin. Each client has five tries of a pin of its own. A short pin counts for the login as
 * well, apart for clients that it knows; a long one does not (D10).
 */
export function tryLivePin(
  guesses: LoginGuesses,
  pin: AskedPin,
  client: GuessingClient & { readonly tries: number },
  now: number,
): PinTryAnswer {
  if (client.tries >= triesPerPin) return { isCompared: false };
  const isExempt = triesApart(guesses, client, now);
  if (pin.digits === longPinDigits) return { isCompared: true, isExempt };
  if (isExempt) {
    const known_pins = withAttempt(guesses.known_pins, knownLimits, now);
    return { isCompared: true, isExempt, next: { ...guesses, known_pins } };
  }
  if (needsLongPin(guesses, now)) return { isCompared: false };
  const pins = withAttempt(guesses.pins, triesOfLogin, now);
  return { isCompared: true, next: { ...guesses, pins, pin_streak: guesses.pin_streak + 1 } };
}

/** True for a client that the login knows and whose pins are counted apart from strangers': nothing else keeps it out. */
export function triesApart(guesses: LoginGuesses, client: GuessingClient, now: number): boolean {
  return isKnownTo(guesses, client, now) && admittedAt(guesses.known_pins, knownLimits, now) <= now;
}

/** What the right pin leaves of a login's tries: none (D10). */
export function afterRightPin(askedAt: number): Partial<LoginGuesses> {
  return { pins: [], known_pins: [], pin_streak: 0, spent_pin: askedAt };
}

function mayShare(guesses: LoginGuesses, live: AskedPin, { registers, tries }: PinAsker, now: number): boolean {
  const isOutOfTries = tries >= triesPerPin || (live.digits === pinDigits && needsLongPin(guesses, now));
  return !isOutOfTries && (!registers || live.registers);
}

/** The requests of the asker's kind, and those of the other. */
function partition(asked: readonly PinRequested[], { registers }: PinAsker) {
  const isSame = (request: PinRequested) => (request.registers ?? false) === registers;
  return [asked.filter(isSame), asked.filter((request) => !isSame(request))] as const;
}

function requestAdmittedAt(asked: readonly PinRequested[], client: string, now: number): number {
  const moments = asked.map(({ at }) => at);
  const own = asked.filter(({ by }) => by === client).map(({ at }) => at);
  const spaced = (moments.at(-1) ?? 0) + spacingMinutes * msPerMinute;
  return Math.max(now, admittedAt(own, askedLimits, now), Math.min(admittedAt(moments, askedLimits, now), spaced));
}
