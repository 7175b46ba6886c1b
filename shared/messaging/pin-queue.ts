import * as v from "valibot";
import { longPinDigits, pinDigits } from "../contract/accounts.ts";
import { normalEmail } from "../domain/accounts/email-address.ts";
import { settings } from "../settings.ts";
import { moment, queueMessage } from "./queue.ts";

/** Marks a request as a registration; what release 0.1 put into it is dropped (D16). */
const registration = v.object({});

/** A request for a pin as it travels from the API to the worker; the login is in its normal form. */
export const pinRequest = v.pipe(
  v.object({
    login: v.string(),
    /** The form in which release 0.1 stored the login, where that is another one; dropped where it is another login's (D7). */
    former: v.optional(v.string()),
    channel: v.picklist(["email", "sms"]),
    requestId: v.string(),
    requestedAt: moment,
    validTo: moment,
    /** Release 0.1 does not send it. */
    digits: v.optional(v.picklist<readonly number[]>([pinDigits, longPinDigits]), pinDigits),
    registration: v.optional(registration),
  }),
  v.transform(({ former, ...request }) => ({
    ...request,
    former: former !== undefined && normalEmail(former) === request.login ? former : undefined,
  })),
);

/** What workers of release 0.1 want of a registration. */
interface QueuedForOlderWorkers {
  readonly registration?: { readonly first_name: string; readonly last_name: string; readonly password_hash: string };
}

/** Queues a request for a pin. Known and unknown logins alike, so that the answer's time reveals nothing (D12). */
export function queuePinRequest(request: v.InferOutput<typeof pinRequest> & QueuedForOlderWorkers): Promise<void> {
  return queueMessage(settings.pinQueueUrl(), request);
}
