import { longPinDigits, pinDigits } from "../contract/accounts.ts";
import { msPerMinute } from "../contract/values.ts";
import { queuePinRequest } from "../messages/queue-messages.ts";
import { paces, retry } from "../table/retry.ts";
import type { Key } from "../table/table.ts";
import { tryUpdate } from "../table/writes.ts";
import { clientOfMessages, findCount, subjectOf } from "./limits.ts";
import {
  type AskedPin,
  allLogins,
  mayTry,
  pinKey,
  pinRules,
  pins,
  type StoredPin,
  type TriedPin,
  unmadePin,
} from "./pins.ts";
import type { Login } from "./typed-login.ts";

/** The life of a pin, and the messages of a day after which a spent one has no successor at once (D9, D11). */
const { lifeMinutes, freeMessagesADay } = pinRules;

/** A request for a pin as it came in. */
interface IncomingRequest {
  readonly login: Login;
  readonly requestId: string;
  readonly registers: boolean;
  readonly address: string;
  /** True if its client proved an earlier session of the login (D11). */
  readonly isKnown?: boolean | Promise<boolean>;
}

/**
 * Makes the pin of a request, unless one is live, and queues the request. Returns the end of the pin's life, the same for known and
 * unknown logins. Refuses nobody: what is sent, the worker decides (D9, D11, D12).
 */
export async function requestPin(incoming: IncomingRequest, now: Date): Promise<Date> {
  const { login, requestId, registers, address } = incoming;
  const ask = async () => {
    const key = pinKey(await subjectOf("pin", login.value), registers ? "REGISTRATION" : "PIN");
    return askForPin(key, requestId, now);
  };
  // Together, so that a proof takes no round trip more than none.
  const [{ pin }, client, isKnown = false] = await Promise.all([ask(), clientOfMessages(address), incoming.isKnown]);
  const { value, channel } = login;
  const request = {
    login: value,
    channel,
    registers,
    isKnown,
    client,
    requestedAt: now.toISOString(),
    requestId: pin.request_id,
    pin,
  };
  await queuePinRequest(request);
  return new Date(pin.valid_to);
}

/**
 * Access pattern P1: the pin of a request. Of requests at once one makes the pin, and the others find it. 1.5 read units, 1 write
 * unit and a second round trip for a new pin.
 */
export async function askForPin(key: Key, requestId: string, now: Date): Promise<PinAnswer> {
  const [found, wrongPins] = await Promise.all([pins.find(key, { consistent: true }), findCount(allLogins, now)]);
  let before = found;
  return retry(paces.crowd, async () => {
    const answer = askFor(before, requestId, wrongPins, now);
    if (!answer.isNew) return answer;
    const { isWritten, item } = await tryUpdate(key, replaceBy(before, answer.pin));
    if (isWritten) return answer;
    before = item && pins.decode(item);
    return undefined;
  });
}

/** The pin that counts after a request, and whether the request makes it. */
interface PinAnswer {
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

/** True for a pin that a request does not replace: neither spent nor expired, nor short while short ones are used up. */
export function isLivePin(pin: TriedPin, wrongPins: number, now: Date): boolean {
  return pin.spent_at === undefined && now.toISOString() < pin.valid_to && mayTry(pin, wrongPins);
}

/** After a day's free messages a spent pin has a successor once its own life is over: who spends pins is sent no more of them. */
function mustWait(pin: TriedPin, now: Date): boolean {
  const moment = now.toISOString();
  const isUsedUpToday = moment.startsWith(pin.day) && pin.messages >= freeMessagesADay;
  return isUsedUpToday && pin.spent_at !== undefined && moment < pin.valid_to;
}

/** A new pin. Its login's figures of the same day go on. */
export function newPin(before: AskedPin | undefined, request_id: string, wrongPins: number, now: Date): AskedPin {
  const asked_at = now.toISOString();
  const day = asked_at.slice(0, 10);
  const { messages, proved, tries } = before?.day === day ? before : { messages: 0, proved: 0, tries: 0 };
  const valid_to = new Date(now.getTime() + lifeMinutes * msPerMinute).toISOString();
  const digits = mayTry({ digits: pinDigits, tries }, wrongPins) ? pinDigits : longPinDigits;
  return { request_id, asked_at, valid_to, digits, day, messages, proved, tries, sent: 0 };
}

/** Puts a new pin in place of the one that was read, unless that was tried meanwhile. */
function replaceBy(before: StoredPin | undefined, pin: AskedPin) {
  const where = { request_id: before?.request_id, tries: before?.tries };
  const set = { ...unmadePin(pin), schema_version: pins.version };
  return { where, set, remove: ["user_id", "held_until", "sent_for", "spent_at", "spent_from"] };
}
