import { longPinDigits, pinDigits } from "../contract/accounts.ts";
import { msPerMinute } from "../contract/values.ts";
import { pinRules, rules } from "./limits.ts";
import { firstMessages } from "./message-limits.ts";

/** A pin that was asked for, with the figures of its login's day. Known and unknown logins have the same (D9, D12). */
export interface AskedPin {
  readonly request_id: string;
  readonly asked_at: string;
  readonly valid_to: string;
  readonly digits: number;
  /** The day (UTC) of the figures of the login. */
  readonly day: string;
  /** Messages of the login that were sent. */
  readonly messages: number;
  /** Those of them that a proof had sent. */
  readonly proved: number;
  /** Tries of short pins of the login, right or wrong. */
  readonly tries: number;
  /** Messages of this pin that were sent. */
  readonly sent: number;
}

/** A pin with what became of it. */
export interface TriedPin extends AskedPin {
  /** When the message that was sent last was asked for. */
  readonly sent_for?: string;
  readonly spent_at?: string;
  /** The client that spent it, by a keyed hash. */
  readonly spent_from?: string;
}

/** The time during which the client that spent a pin or a reset token gets the same answer again (D13, D14). */
export const pinRepeatMs = 60_000;

/** True for a pin that a request does not replace: neither spent nor expired, nor short while short ones are used up. */
export function isLivePin(pin: TriedPin, wrongPins: number, now: Date): boolean {
  return pin.spent_at === undefined && now.toISOString() < pin.valid_to && mayTry(pin, wrongPins);
}

/** The pin that counts after a request, and whether the request makes it. */
export interface PinAnswer {
  readonly pin: AskedPin;
  readonly isNew: boolean;
}

/**
 * Decides a request for a pin: it replaces no live pin. It looks at nothing that a worker alone counts, unless the owner has spent
 * the pin, so that known and unknown logins have the same answers (D12).
 */
export function askFor(before: TriedPin | undefined, requestId: string, wrongPins: number, now: Date): PinAnswer {
  const isKept = before && (isLivePin(before, wrongPins, now) || mustWait(before, now));
  return isKept ? { pin: before, isNew: false } : { pin: newPin(before, requestId, wrongPins, now), isNew: true };
}

/**
 * Decides whether a request has the message of a pin sent: its first one always, further ones if asked for a minute apart, so
 * often a pin, and so often a day (D11). What was not sent does not count.
 */
export function maySend(pin: TriedPin, requestedAt: string): boolean {
  const { spent_at, sent_for, sent } = pin;
  if (spent_at !== undefined) return false;
  if (sent_for === undefined) return true;
  const isApart = Date.parse(requestedAt) - Date.parse(sent_for) >= msPerMinute;
  return isApart && sent < pinRules.messagesOfPin && hasFreeMessages(pin);
}

/** True if the proof of a request counts for its message. Users who ask for many of their own leave those of all others (D11). */
export function countsProof({ proved }: AskedPin, isKnown: boolean): boolean {
  return isKnown && proved < firstMessages;
}

function hasFreeMessages({ messages }: AskedPin): boolean {
  return messages < pinRules.freeMessagesADay;
}

/** After a day's free messages a spent pin has a successor once its own life is over: who spends pins is sent no more of them. */
function mustWait(pin: TriedPin, now: Date): boolean {
  const moment = now.toISOString();
  const isUsedUpToday = moment.startsWith(pin.day) && !hasFreeMessages(pin);
  return isUsedUpToday && pin.spent_at !== undefined && moment < pin.valid_to;
}

/** A new pin. Its login's figures of the same day go on. */
export function newPin(before: AskedPin | undefined, request_id: string, wrongPins: number, now: Date): AskedPin {
  const asked_at = now.toISOString();
  const day = asked_at.slice(0, 10);
  const { messages, proved, tries } = before?.day === day ? before : { messages: 0, proved: 0, tries: 0 };
  const valid_to = new Date(now.getTime() + pinRules.lifeMinutes * msPerMinute).toISOString();
  const digits = mayTry({ digits: pinDigits, tries }, wrongPins) ? pinDigits : longPinDigits;
  return { request_id, asked_at, valid_to, digits, day, messages, proved, tries, sent: 0 };
}

/** The moment and the origin of a try. */
interface PinTry {
  readonly wrongPins: number;
  /** The client, by a keyed hash. */
  readonly client: string;
  readonly now: Date;
}

/**
 * Decides a try of a pin: compared and counted, compared alone, or neither. A short pin counts each try, a long one none. The
 * client that spent a pin may try it again for a minute (D9, D10, D13).
 */
export function tryOf(pin: TriedPin, { wrongPins, client, now }: PinTry): "counted" | "free" | "none" {
  const isOpen = pin.spent_at === undefined ? now.toISOString() < pin.valid_to : isRepeated(pin, client, now);
  if (!isOpen) return "none";
  if (isLong(pin)) return "free";
  return mayTry(pin, wrongPins) ? "counted" : "none";
}

/** True for the client that spent a pin within the last minute (D13). */
export function isRepeated({ spent_at, spent_from }: TriedPin, client: string, now: Date): boolean {
  return spent_at !== undefined && spent_from === client && now.getTime() - Date.parse(spent_at) < pinRepeatMs;
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
