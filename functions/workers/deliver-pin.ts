import { msPerMinute } from "../../shared/contract/values.ts";
import { catalogueOf } from "../../shared/messages/catalogues.ts";
import { pinRequest } from "../../shared/messages/queue-messages.ts";
import { type MessageRecipient, renderEmail, sendEmail, sendSms } from "../../shared/messages/send.ts";
import { subjectOf } from "../../shared/people/limits.ts";
import { findUserIdOfLogin } from "../../shared/people/logins.ts";
import { consumeMessageAllowance, firstMessages, mayUseAllowance } from "../../shared/people/message-limits.ts";
import {
  type AskedPin,
  hashOfPin,
  isUsedUp,
  makePin,
  nextUserId,
  type PinHash,
  pinKey,
  pinRules,
  pins,
  type StoredPin,
  shownPin,
  type TriedPin,
  unmadePin,
} from "../../shared/people/pins.ts";
import { findUser } from "../../shared/people/users.ts";
import { settings } from "../../shared/run/settings.ts";
import { type Key, keyOf } from "../../shared/table/table.ts";
import { allOf, anyOf, isAbsent, lacks, updateIf } from "../../shared/table/writes.ts";
import { hmacKey } from "../../shared/tokens/secrets.ts";
import { forQueue, unlessRefused } from "../../shared/worker.ts";

/** The limits on the messages of one pin, and on those of a login in a day before each pin is sent only once (D11). */
export const messageLimits = { ofPin: 3, apartMs: msPerMinute, freeADay: pinRules.freeMessagesADay } as const;

/** Longer than a worker may run, and shorter than the pause between two messages of a pin. */
export const heldMs = 45_000;

/**
 * Makes the pin of a request and sends it. Requests that came too late end here, and so do those of unknown logins,
 * registrations of known ones, pins that tries have used up meanwhile, and messages that come too soon or too often (D8–D12,
 * D16). A message is counted before its pin is stored, once however often it is tried, and one above the ceiling is not sent. A
 * message that comes again is sent by this worker alone, while nobody has sent it. The message goes to the user's stored address,
 * in the user's language (D7, D45).
 */
export const handler = forQueue(pinRequest, async (request, { now }) => {
  const { login, channel, registers, requestedAt, pin: asked } = request;
  if (now.toISOString() >= asked.valid_to) return;
  const existingUserId = await findUserIdOfLogin(login);
  if (registers !== (existingUserId === undefined)) return;
  const key = pinKey(await subjectOf("pin", login), registers ? "REGISTRATION" : "PIN");
  const pin = await findPinToSend(key, asked, requestedAt);
  if (!pin || isUsedUp(pin)) return;
  const user = existingUserId === undefined ? undefined : await findUser(existingUserId);
  const to = registers ? login : channel === "email" ? user?.email : user?.phone_number;
  if (!to) return;
  const isProved = countsProof(pin, request.isKnown);
  const message = { channel, registers, client: isProved ? undefined : request.client };
  const isCounted = ({ counted, sent }: StoredPin) => counted > sent;
  // Before the pin is held, so that a message that is not sent is in no other's way.
  if (!isCounted(pin) && !(await mayUseAllowance(message, now))) return;
  const held = await holdPin(pin, asked, now);
  if (!held) return;
  const send = async () => {
    if (!isCounted(held) && !(await consumeMessageAllowance(message, now))) return false;
    const made = await storeNewPin(held, login, existingUserId);
    if (made === undefined) return false;
    // A recipient that is refused for good counts as sent to: no further request needs to try again.
    await unlessRefused(sendPin({ channel, to, locale: user?.locale }, made));
    return true;
  };
  const isSent = await send().catch(async (error: unknown) => {
    await releasePin(held);
    throw error;
  });
  await (isSent ? keepSent(held, requestedAt, isProved) : releasePin(held));
});

/** True if the proof of a request counts for its message. Users who ask for many of their own leave those of all others (D11). */
export function countsProof({ proved }: AskedPin, isKnown: boolean): boolean {
  return isKnown && proved < firstMessages;
}

/**
 * Access pattern P4: finds the pin whose message a request has sent, as it is stored; as the request left it if it is not there.
 * Undefined if it was replaced, or if its message is not sent for this request (D11). One read unit.
 */
export async function findPinToSend(key: Key, asked: AskedPin, requestedAt: string): Promise<StoredPin | undefined> {
  const pin = (await pins.find(key, { consistent: true })) ?? {
    ...key,
    ...unmadePin(asked),
  };
  return pin.request_id === asked.request_id && maySend(pin, requestedAt) ? pin : undefined;
}

/**
 * Decides whether a request has the message of a pin sent: its first one always, further ones if asked for a minute apart, so
 * often a pin, and so often a day (D11). What was not sent does not count.
 */
export function maySend(pin: TriedPin, requestedAt: string): boolean {
  const { spent_at, sent_for, sent } = pin;
  if (spent_at !== undefined) return false;
  if (sent_for === undefined) return true;
  const isApart = Date.parse(requestedAt) - Date.parse(sent_for) >= messageLimits.apartMs;
  return isApart && sent < messageLimits.ofPin && pin.messages < messageLimits.freeADay;
}

/**
 * Access pattern P9: holds a pin while its message is sent. Undefined if another worker holds it or has sent a message since it was
 * read, and if the pin was spent or replaced. Stores it if it is not there. One write unit.
 */
export async function holdPin(pin: StoredPin, asked: AskedPin, now: Date): Promise<StoredPin | undefined> {
  const isFree = anyOf(lacks("held_until"), "held_until < :now");
  const isSame = allOf("request_id = :request", "sent = :sent", "valid_to > :now", lacks("spent_at"), isFree);
  const values = { ":request": pin.request_id, ":sent": pin.sent, ":now": now.toISOString() };
  const set = { held_until: new Date(now.getTime() + heldMs).toISOString() };
  const held = await updateIf(keyOf(pin), { when: anyOf(isAbsent, isSame), values, set, setOnce: unmadePin(asked) });
  return held && pins.decode(held);
}

/**
 * Makes the pin of a login, of its user if there is one, and stores its hash. Undefined if the request's pin was spent or replaced
 * meanwhile.
 */
async function storeNewPin(held: StoredPin, login: string, userId?: number): Promise<string | undefined> {
  const ofUser = userId ?? held.user_id ?? (await nextUserId());
  const key = await hmacKey();
  const pin = makePin({ ...held, login }, key);
  const made = { ...hashOfPin(held, pin, ofUser, key), userId: ofUser, counted: held.sent + 1 };
  return (await storePin(held, made)) ? pin : undefined;
}

/** The pin that a worker made for a user, and how many of its messages the ceiling has counted. */
interface MadePin extends PinHash {
  readonly userId: number;
  readonly counted: number;
}

/** Access pattern P5: stores the hash of a pin before it is sent. False if it was spent or replaced. One write unit. */
export async function storePin(held: StoredPin, { userId, ...pin }: MadePin): Promise<boolean> {
  const where = { request_id: held.request_id, spent_at: undefined };
  return (await updateIf(keyOf(held), { where, set: { ...pin, user_id: userId } })) !== undefined;
}

/** Sends a pin by its login's channel, without a link and without text written by users (D8, D45). */
async function sendPin({ channel, to, locale }: MessageRecipient, pin: string): Promise<void> {
  const catalogue = catalogueOf(locale);
  const facts = { service: settings.serviceName(), pin: shownPin(pin), minutes: pinRules.lifeMinutes };
  if (channel === "sms") return sendSms(to, catalogue.pinSms(facts));
  return sendEmail(renderEmail(catalogue, to, catalogue.pinEmail(facts)));
}

/** Access pattern P6: counts a message that was sent, and lets its pin go, unless it is another one. One write unit. */
export async function keepSent(held: StoredPin, sent_for: string, isProved: boolean): Promise<void> {
  const { sent, messages, proved } = held;
  const set = { sent: sent + 1, messages: messages + 1, proved: proved + (isProved ? 1 : 0), sent_for };
  await updateIf(keyOf(held), { where: { request_id: held.request_id }, set, remove: ["held_until"] });
}

/** Access pattern P10: lets a pin go whose message was not sent, so that the next request has it sent. One write unit. */
async function releasePin({ request_id, held_until, ...held }: StoredPin): Promise<void> {
  await updateIf(keyOf(held), { where: { request_id, held_until }, remove: ["held_until"] });
}
