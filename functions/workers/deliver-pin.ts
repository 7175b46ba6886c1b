import { storePin } from "../../shared/db/pins.ts";
import { findUserIdOfLogin } from "../../shared/db/users.ts";
import { makePin, sealPin } from "../../shared/domain/pin.ts";
import { sendPin } from "../../shared/messaging/pin-message.ts";
import { pinRequest } from "../../shared/messaging/pin-queue.ts";
import { forQueue } from "../../shared/messaging/queue-worker.ts";
import { hmacKey } from "../../shared/secrets.ts";

/** Makes the pin of a request and sends it; requests that came too late or name an unknown login end here (D8, D9, D12). */
export const handler = forQueue(pinRequest, async (request, now) => {
  if (now >= request.validTo) return;
  const userId = await findUserIdOfLogin(request.login);
  if (userId === undefined) return;
  const pin = makePin();
  const isStored = await storePin(request, userId, sealPin(pin, userId, await hmacKey()));
  if (isStored) await sendPin(request.channel, request.login, pin);
});
