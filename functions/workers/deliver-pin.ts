import { catalogueOf } from "../../shared/messages/catalogues.ts";
import { pinRequest } from "../../shared/messages/queue-messages.ts";
import { type MessageRecipient, renderEmail, sendEmail, sendSms } from "../../shared/messages/send.ts";
import { pinRules, subjectOf } from "../../shared/people/limits.ts";
import { findUserIdOfLogin } from "../../shared/people/logins.ts";
import { consumeMessageAllowance, mayUseAllowance } from "../../shared/people/message-limits.ts";
import { countsProof, isUsedUp } from "../../shared/people/pin-decisions.ts";
import {
  findPinToSend,
  hashOfPin,
  holdPin,
  keepSent,
  makePin,
  nextUserId,
  pinKey,
  releasePin,
  type StoredPin,
  shownPin,
  storePin,
} from "../../shared/people/pins.ts";
import { findUser } from "../../shared/people/users.ts";
import { settings } from "../../shared/run/settings.ts";
import { hmacKey } from "../../shared/tokens/secrets.ts";
import { forQueue, unlessRefused } from "../../shared/worker.ts";

/** Sends a pin by its login's channel, without a link and without text written by users (D8, D45). */
async function sendPin({ channel, to, locale }: MessageRecipient, pin: string): Promise<void> {
  const catalogue = catalogueOf(locale);
  const facts = { service: settings.serviceName(), pin: shownPin(pin), minutes: pinRules.lifeMinutes };
  if (channel === "sms") return sendSms(to, catalogue.pinSms(facts));
  return sendEmail(renderEmail(catalogue, to, catalogue.pinEmail(facts)));
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
