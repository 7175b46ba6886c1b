import { longPinDigits, pinDigits } from "../../contract/accounts.ts";
import { messageShares, pinRules, rules } from "./rules.ts";

/** A pin that was asked for, with the figures of its login's day. Known and unknown logins have the same (D9, D12). */
export interface AskedPin {
  readonly request_id: string;
  readonly asked_at: string;
  readonly valid_to: string;
  readonly digits: number;
  /** The day (UTC) of the figures of the login. */
  readonly day: string;
  /** Messages of the login. */
  readonly messages: number;
  /** Tries of short pins of the login, right or wrong. */
  readonly tries: number;
  /** Messages of this pin. */
  readonly sent: number;
}

/** A pin with what became of it. */
export interface TriedPin extends AskedPin {
  readonly spent_at?: string;
  /** The client that spent it, by a keyed hash. */
  readonly spent_from?: string;
  /** The company of the test logins, if it is their pin. */
  readonly test_company_id?: number;
}

/** The time during which the client that spent a pin or a reset token gets the same answer again (D13, D14). */
export const repeatMs = 60_000;

const msPerMinute = 60_000;

/** True for a pin that a request does not replace: neither spent nor expired, nor short while short ones are used up. */
export function isLive(pin: TriedPin, wrongPins: number, now: Date): boolean {
  return pin.spent_at === undefined && now.toISOString() < pin.valid_to && mayTry(pin, wrongPins);
}

/** The result of a request for a pin: the pin that counts then, the write that makes it so, and whether it is sent. */
export interface PinAnswer {
  readonly pin: AskedPin;
  readonly write: "new" | "again" | "none";
  readonly isQueued: boolean;
}

/**
 * Decides a request for a pin. It replaces no live pin. It sends a live one again, a minute later at the earliest. A request
 * right after another queues the same message once more, in case the first was not queued; the worker sends it once (D11).
 */
export function askFor(before: TriedPin | undefined, requestId: string, wrongPins: number, now: Date): PinAnswer {
  if (before && mustWait(before, now)) return { pin: before, write: "none", isQueued: false };
  if (!before || !isLive(before, wrongPins, now)) {
    return { pin: newPin(before, requestId, wrongPins, now), write: "new", isQueued: true };
  }
  if (mayResend(before, now)) {
    const pin = { ...before, sent: before.sent + 1, messages: before.messages + 1 };
    return { pin, write: "again", isQueued: true };
  }
  return { pin: before, write: "none", isQueued: ageOf(before, now) < msPerMinute };
}

/** After a day's free messages a spent pin has a successor once its own life is over: who spends pins is sent no more of them. */
function mustWait({ spent_at, valid_to, day, messages }: TriedPin, now: Date): boolean {
  const moment = now.toISOString();
  const isToday = moment.startsWith(day) && messages >= pinRules.freeMessagesADay;
  return isToday && spent_at !== undefined && moment < valid_to;
}

/** A new pin. Its login's figures of the same day go on. */
export function newPin(before: AskedPin | undefined, request_id: string, wrongPins: number, now: Date): AskedPin {
  const asked_at = now.toISOString();
  const day = asked_at.slice(0, 10);
  const { messages, tries } = before?.day === day ? before : { messages: 0, tries: 0 };
  const valid_to = new Date(now.getTime() + pinRules.lifeMinutes * msPerMinute).toISOString();
  const digits = mayTry({ digits: pinDigits, tries }, wrongPins) ? pinDigits : longPinDigits;
  return { request_id, asked_at, valid_to, digits, day, messages: messages + 1, tries, sent: 1 };
}

/** True if the message of a live pin may be sent again: a minute apart, so often a pin, and so often a day (D11). */
function mayResend(pin: AskedPin, now: Date): boolean {
  const { messagesOfPin, freeMessagesADay } = pinRules;
  return ageOf(pin, now) >= pin.sent * msPerMinute && pin.sent < messagesOfPin && pin.messages < freeMessagesADay;
}

/** The moment and the origin of a try. */
export interface PinTry {
  readonly wrongPins: number;
  /** The client, by a keyed hash. */
  readonly client: string;
  readonly now: Date;
}

/**
 * Decides a try of a pin: compared and counted, compared alone, or neither. A short pin counts each try, a long one none. The
 * client that spent a pin may try it again for a minute. The pin of test logins has twelve digits, whatever was asked for: its
 * tries count as those of other logins, so that nobody sees which logins they are, but never use it up (D9, D10, D13).
 */
export function tryOf(pin: TriedPin, { wrongPins, client, now }: PinTry): "counted" | "free" | "none" {
  const isOpen = pin.spent_at === undefined ? now.toISOString() < pin.valid_to : isRepeated(pin, client, now);
  if (!isOpen) return "none";
  if (isLong(pin)) return "free";
  if (mayTry(pin, wrongPins)) return "counted";
  return pin.test_company_id === undefined ? "none" : "free";
}

/** True for the client that spent a pin within the last minute (D13). */
export function isRepeated({ spent_at, spent_from }: TriedPin, client: string, now: Date): boolean {
  return spent_at !== undefined && spent_from === client && now.getTime() - Date.parse(spent_at) < repeatMs;
}

/** A message with a pin: which one of its login's day it is, and whether its client proved an earlier session. */
export interface PinMessage {
  readonly nth: number;
  readonly isKnown: boolean;
  readonly registers: boolean;
}

/**
 * The share of the stage's messages of a day that a message may use. A proof lets any message be its login's second, not its first:
 * users who ask for many of their own leave the first messages of all others (D11).
 */
export function shareOf({ nth, isKnown, registers }: PinMessage): number {
  const { ofLogin } = messageShares;
  const [, second] = ofLogin;
  const further = ofLogin[ofLogin.length - 1] ?? 0;
  if (registers) return further;
  const own = ofLogin[nth - 1] ?? further;
  return isKnown ? Math.max(own, second) : own;
}

function isLong({ digits }: Pick<AskedPin, "digits">): boolean {
  return digits === longPinDigits;
}

/** True for a short pin that the tries of its login have used up: its message would be of no use. */
export function isUsedUp(pin: Pick<AskedPin, "digits" | "tries">): boolean {
  return !isLong(pin) && pin.tries >= pinRules.triesADay;
}

/** Long pins have no limit; short ones are used up by the tries of their login or by the wrong ones of all logins (D10). */
function mayTry(pin: Pick<AskedPin, "digits" | "tries">, wrongPins: number): boolean {
  return isLong(pin) || (!isUsedUp(pin) && wrongPins < rules.wrongPins.most);
}

function ageOf({ asked_at }: AskedPin, now: Date): number {
  return now.getTime() - Date.parse(asked_at);
}
