import { maySendSms } from "../../shared/accounts/sms.ts";
import { findUserIdOfLogin, moveLogin } from "../../shared/db/accounts/logins.ts";
import { isPinFlowClosed, storePin } from "../../shared/db/accounts/pins.ts";
import { nextId } from "../../shared/db/table/sequences.ts";
import { hashPin, makePin } from "../../shared/domain/accounts/pin.ts";
import { sendPin } from "../../shared/messaging/pin-message.ts";
import { pinRequest } from "../../shared/messaging/pin-queue.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { forQueue } from "../../shared/workers/queue-worker.ts";

/**
 * Makes the pin of a request and sends it. Requests that came too late, name an unknown login without registering it, or
 * one whose pin flow is closed, end here (D8–D12, D16).
 */
export const handler = forQueue(pinRequest, async ({ login, former, channel, registration, ...request }, now) => {
  if (now >= request.validTo || (await isPinFlowClosed(login))) return;
  const movedUserId = former === undefined ? undefined : await moveLogin(former, login, now);
  const existingUserId = movedUserId ?? (await findUserIdOfLogin(login));
  if (existingUserId === undefined && !registration) return;
  if (channel === "sms" && !(await maySendSms(now))) return;
  const userId = existingUserId ?? (await nextId("USER"));
  const key = await hmacKey();
  const pin = makePin({ login, ...request }, key);
  const hash = hashPin(pin, userId, key);
  const pendingRegistration = existingUserId === undefined ? registration : undefined;
  if (await storePin({ login, ...request }, userId, hash, pendingRegistration)) await sendPin(channel, login, pin);
});
