import { handler as requestPasswordResetHandler } from "../../../functions/accounts/request-password-reset.ts";
import {
  handler as deliverPin,
  findPinToSend,
  holdPin,
  keepSent,
  storePin,
} from "../../../functions/workers/deliver-pin.ts";
import { pinIn } from "../../../infra/local/message-pin.ts";
import type { LocalInbox } from "../../../infra/runtime/aws/inbox.ts";
import { requestPasswordReset } from "../../../shared/contract/accounts.ts";
import { newPin } from "../../../shared/people/ask-for-pin.ts";
import { subjectOf, windowOf } from "../../../shared/people/limits.ts";
import type { PinHash } from "../../../shared/people/pins.ts";
import {
  allLogins,
  forgetPins,
  type PinKind,
  pinKey,
  pins,
  type StoredPin,
  wrongPins,
} from "../../../shared/people/pins.ts";
import { updateIf } from "../../../shared/table/writes.ts";
import type { Service } from "../service/service.ts";
import { drain } from "../workers/workers.ts";
import { call } from "./call.ts";

/** Hands every queued request for a pin to the worker, as the queue would. */
export async function deliverPins(): Promise<void> {
  await drain("PIN_QUEUE_URL", deliverPin);
}

/** The pin in the newest message to a login. */
export function newestPin(inbox: LocalInbox, to: string): string {
  const message = inbox.entries().find((entry) => entry.to === to);
  const pin = pinIn(message?.text);
  if (!pin) throw new Error(`No message to ${to} carries a pin`);
  return pin;
}

/** Asks for a pin as often as a test needs to, and reads it from the message. */
export async function askForPin(service: Service, login: string): Promise<string> {
  await forgetPinsOf(login);
  await call(requestPasswordResetHandler, requestPasswordReset, { body: { user: { login } } });
  await deliverPins();
  return newestPin(service.inbox, login);
}

/** Lets the next request for a pin of a login be its first. */
export async function forgetPinsOf(login: string): Promise<void> {
  await forgetPins(await subjectOf("pin", login));
}

/** The pin of a login as it is stored. */
export async function storedPin(login: string, kind: PinKind = "PIN"): Promise<StoredPin | undefined> {
  return pins.find(pinKey(await subjectOf("pin", login), kind), { consistent: true });
}

/** Changes the stored pin of a login, without the requests and tries that it takes. */
export async function changePin(login: string, set: Partial<StoredPin>, kind: PinKind = "PIN"): Promise<void> {
  await updateIf(pinKey(await subjectOf("pin", login), kind), { set });
}

/** Uses up the short pins of all logins but for the last wrong one, without the guesses that it takes. */
export async function useUpShortPins(wrong: number = wrongPins.most, now = new Date()): Promise<void> {
  const { subject, rule } = allLogins;
  const key = { pk: `LIMIT#${rule.name}#${subject}`, sk: windowOf(rule, now).start };
  await updateIf(key, { set: { n: wrong } });
}

/** A message of the queue of pins, as the first request for a pin of a login queues it. */
export function pinMessage(
  login: string,
  { registers = false, requestId = crypto.randomUUID() as string, now = new Date() } = {},
) {
  const channel = login.includes("@") ? "email" : "sms";
  const pin = newPin(undefined, requestId, 0, now);
  const [client, requestedAt] = [`client of ${requestId}`, now.toISOString()];
  return { login, channel, registers, isKnown: false, client, requestedAt, requestId, pin } as const;
}

/** Stores the pin of a login as its request and its worker leave it, with a hash of the test's own. */
export async function storeMadePin(
  login: string,
  userId: number,
  hash: PinHash,
  { registers = false, now = new Date() } = {},
): Promise<StoredPin> {
  await forgetPinsOf(login);
  const kind = registers ? "REGISTRATION" : "PIN";
  const { pin, requestedAt } = pinMessage(login, { registers, now });
  const found = await findPinToSend(pinKey(await subjectOf("pin", login), kind), pin, requestedAt);
  const held = found && (await holdPin(found, pin, now));
  if (!held) throw new Error(`Another pin of ${login} is stored`);
  await storePin(held, { ...hash, userId, counted: 1 });
  await keepSent(held, requestedAt, false);
  return { ...held, ...hash, user_id: userId };
}

/** A pin that is not this one: the first after it, or one further on. */
export function otherPin(pin: string, further = 1): string {
  return String((Number(pin) + further) % 10 ** pin.length).padStart(pin.length, "0");
}
