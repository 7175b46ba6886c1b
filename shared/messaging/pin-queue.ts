import * as v from "valibot";
import { settings } from "../settings.ts";
import { moment, queueMessage } from "./queue.ts";

/** What someone registers with, waiting for the pin that makes it count; the password is a hash (D16). */
const registration = v.object({ first_name: v.string(), last_name: v.string(), password_hash: v.string() });

/** A request for a pin as it travels from the API to the worker; the login is in its normal form. */
export const pinRequest = v.object({
  login: v.string(),
  /** The form in which release 0.1 stored the login, where that is another one (D7). */
  former: v.optional(v.string()),
  channel: v.picklist(["email", "sms"]),
  requestId: v.string(),
  requestedAt: moment,
  validTo: moment,
  registration: v.optional(registration),
});

/** Queues a request for a pin. Known and unknown logins alike, so that the answer's time reveals nothing (D12). */
export function queuePinRequest(request: v.InferOutput<typeof pinRequest>): Promise<void> {
  return queueMessage(settings.pinQueueUrl(), request);
}
