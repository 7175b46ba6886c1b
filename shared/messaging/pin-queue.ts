import * as v from "valibot";
import { longPinDigits, pinDigits } from "../contract/accounts.ts";
import { settings } from "../settings.ts";
import { moment, queueMessage } from "./queue.ts";

/** A request for a pin as it travels from the API to the worker; the login is in its normal form. */
export const pinRequest = v.object({
  login: v.string(),
  channel: v.picklist(["email", "sms"]),
  requestId: v.string(),
  requestedAt: moment,
  validTo: moment,
  digits: v.picklist<readonly number[]>([pinDigits, longPinDigits]),
  /** True where a login that no user has is registered (D16). */
  registers: v.boolean(),
});

/** Queues a request for a pin. Known and unknown logins alike, so that the answer's time reveals nothing (D12). */
export function queuePinRequest(request: v.InferOutput<typeof pinRequest>): Promise<void> {
  return queueMessage(settings.pinQueueUrl(), request);
}
