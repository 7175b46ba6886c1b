import { askForPin, pinKey } from "../db/accounts/pins.ts";
import type { Login } from "../domain/accounts/login.ts";
import { queuePinRequest } from "../messaging/pin-queue.ts";
import { subjectOf } from "./subjects.ts";

/** A request for a pin as it came in. */
interface IncomingRequest {
  readonly login: Login;
  readonly requestId: string;
  readonly registers: boolean;
  /** True if its client proved an earlier session of the login: its message counts as the login's second of the day at most (D11). */
  readonly isKnown?: boolean | Promise<boolean>;
}

/**
 * Counts a request for a pin and queues its message. Returns the end of the pin's life, the same for known and unknown logins.
 * Refuses nobody: a live pin is sent again, or stays as it is (D9, D11, D12).
 */
export async function requestPin(incoming: IncomingRequest, now: Date): Promise<Date> {
  const { login, requestId, registers } = incoming;
  const ask = async () => {
    const key = pinKey(await subjectOf("pin", login.value), registers ? "REGISTRATION" : "PIN");
    return askForPin(key, requestId, now);
  };
  // Together, so that a proof takes no round trip more than none.
  const [{ pin, isQueued }, isKnown = false] = await Promise.all([ask(), incoming.isKnown]);
  const { value, channel } = login;
  // A message that the ceiling refused to strangers may be sent to a known client.
  if (isQueued || isKnown)
    await queuePinRequest({ login: value, channel, registers, isKnown, requestId: pin.request_id, pin });
  return new Date(pin.valid_to);
}
