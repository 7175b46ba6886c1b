import { maySendSms, uncountSms } from "../../shared/accounts/sms-allowance.ts";
import { findTestPin } from "../../shared/accounts/test-pin.ts";
import { findUserIdOfLogin } from "../../shared/db/accounts/logins.ts";
import { isPinStored, keepPinSent, storePin } from "../../shared/db/accounts/pins.ts";
import { findUserAsShown } from "../../shared/db/accounts/users.ts";
import { nextId } from "../../shared/db/table/sequences.ts";
import { hashPin, makePin } from "../../shared/domain/accounts/pin.ts";
import { sendPin } from "../../shared/messaging/pin-message.ts";
import { pinRequest } from "../../shared/messaging/pin-queue.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { forQueue } from "../../shared/workers/queue-worker.ts";

/**
 * Makes the pin of a request and sends it. Requests that came too late, or name an unknown login without registering it, end
 * here (D8–D12, D16). An SMS is counted first, so that no pin is replaced by one that cannot be sent, and given back where
 * nothing is to be sent: the pin of a newer request is stored, or this one was sent or is being sent. A request whose sending
 * failed is counted no more. One of the stage's test logins gets their pin, and nothing is sent or counted.
 * The message is in the language of the login's user (D45).
 */
export const handler = forQueue(pinRequest, async ({ login, channel, registers, ...request }, { now }) => {
  if (now >= request.validTo) return;
  const [existingUserId, isStored] = await Promise.all([
    findUserIdOfLogin(login),
    isPinStored(login, request.requestId),
  ]);
  const isNew = existingUserId === undefined;
  if (isNew && !registers) return;
  const purpose = isNew ? "registration" : "user";
  const user = existingUserId === undefined ? undefined : await findUserAsShown(existingUserId);
  const test = await findTestPin(login, user, now);
  const counts = channel === "sms" && !isStored && !test;
  if (counts && !(await maySendSms(purpose, now))) return;
  const userId = existingUserId ?? (await nextId("USER"));
  const key = await hmacKey();
  const pin = test?.pin ?? makePin({ login, ...request }, key);
  const hash = hashPin(pin, userId, key);
  const validTo = test && test.until < request.validTo ? test.until : request.validTo;
  const asked = { login, ...request, validTo, registers: isNew, digits: pin.length, testCompanyId: test?.companyId };
  if (await storePin(asked, userId, hash, now)) {
    if (!test) await sendPin({ channel, to: login, locale: user?.locale }, pin);
    await keepPinSent(login, request.requestId, now);
  } else if (counts) await uncountSms(purpose, now);
});
