import { queuePinRequest } from "../messages/queue-messages.ts";
import { clientOfMessages, subjectOf } from "./limits.ts";
import { askForPin, pinKey } from "./pins.ts";
import type { Login } from "./typed-login.ts";

/** A request for a pin as it came in. */
interface IncomingRequest {
  readonly login: Login;
  readonly requestId: string;
  readonly registers: boolean;
  readonly address: string;
  /** True if its client proved an earlier session of the login (D11). */
  readonly isKnown?: boolean | Promise<boolean>;
}

/**
 * Makes the pin of a request, unless one is live, and queues the request. Returns the end of the pin's life, the same for known and
 * unknown logins. Refuses nobody: what is sent, the worker decides (D9, D11, D12).
 */
export async function requestPin(incoming: IncomingRequest, now: Date): Promise<Date> {
  const { login, requestId, registers, address } = incoming;
  const ask = async () => {
    const key = pinKey(await subjectOf("pin", login.value), registers ? "REGISTRATION" : "PIN");
    return askForPin(key, requestId, now);
  };
  // Together, so that a proof takes no round trip more than none.
  const [{ pin }, client, isKnown = false] = await Promise.all([ask(), clientOfMessages(address), incoming.isKnown]);
  const { value, channel } = login;
  const request = {
    login: value,
    channel,
    registers,
    isKnown,
    client,
    requestedAt: now.toISOString(),
    requestId: pin.request_id,
    pin,
  };
  await queuePinRequest(request);
  return new Date(pin.valid_to);
}
