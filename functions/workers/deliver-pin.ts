import { maySendSms, uncountSms } from "../../shared/accounts/sms.ts";
import { findUserIdOfLogin, moveLogin } from "../../shared/db/accounts/logins.ts";
import { storePin } from "../../shared/db/accounts/pins.ts";
import { nextId } from "../../shared/db/table/sequences.ts";
import { hashPin, makePin } from "../../shared/domain/accounts/pin.ts";
import { sendPin } from "../../shared/messaging/pin-message.ts";
import { pinRequest } from "../../shared/messaging/pin-queue.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { forQueue } from "../../shared/workers/queue-worker.ts";

/**
 * Makes the pin of a request and sends it. Requests that came too late, or name an unknown login without registering it, end
 * here (D8–D12, D16). An SMS is counted first, so that no pin is replaced by one that cannot be sent, and given back where
 * the pin of a newer request is stored.
 */
export const handler = forQueue(pinRequest, async ({ login, former, channel, registration, ...request }, now) => {
  if (now >= request.validTo) return;
  const movedUserId = former === undefined ? undefined : await moveLogin(former, login, now);
  const existingUserId = movedUserId ?? (await findUserIdOfLogin(login));
  if (existingUserId === undefined && !registration) return;
  const purpose = existingUserId === undefined ? "registration" : "user";
  if (channel === "sms" && !(await maySendSms(purpose, now))) return;
  const userId = existingUserId ?? (await nextId("USER"));
  const key = await hmacKey();
  const pin = makePin({ login, ...request }, key);
  const hash = hashPin(pin, userId, key);
  const registers = existingUserId === undefined;
  if (await storePin({ login, ...request, registers }, userId, hash)) return sendPin(channel, login, pin);
  if (channel === "sms") await uncountSms(purpose, now);
});
